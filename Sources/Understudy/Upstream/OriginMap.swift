/// The origin of the upstream, and the same on the client's side.
struct OriginMap: Sendable {
  /// The authorities by which the upstream's URLs name it: that of its address, and that of `--upstream-host`.
  let authorities: [String]
  /// The path before every forwarded path.
  let base: String
  /// Scheme and authority on the client's side; empty if they are unknown.
  let clientOrigin: String
  /// The labels before every path on the client's side.
  let clientPrefix: String

  /// Returns a URL of the upstream's origin as the client must request it; another URL unchanged.
  func clientURL(of value: ArraySlice<UInt8>) -> [UInt8] {
    let text = String(decoding: value, as: UTF8.self)
    if text.hasPrefix("/"), !text.hasPrefix("//") {
      return rest(of: text[...]).map { Array(clientPath(of: $0).utf8) } ?? Array(value)
    }
    return clientTarget(of: text).map { Array((clientOrigin + $0).utf8) } ?? Array(value)
  }

  /// Returns the target by which the client must request a URL of the upstream's origin; nil if it has another one.
  func clientTarget(of url: String) -> String? {
    guard let (authority, path) = Self.split(url), authorities.contains(where: { Self.isSame($0, authority) }),
      let rest = rest(of: path)
    else { return nil }
    return clientPath(of: rest)
  }

  /// Returns a path below the base as the client must request it. A reference without a path would be about the page that
  /// has it (RFC 3986 section 5.2.2).
  private func clientPath(of rest: Substring) -> String {
    let path = clientPrefix + rest
    return path.hasPrefix("/") ? path : "/" + path
  }

  /// Returns a path below the base; nil if it is outside.
  private func rest(of path: Substring) -> Substring? {
    guard path.hasPrefix(base) else { return nil }
    let rest = path.dropFirst(base.count)
    guard rest.isEmpty || rest.hasPrefix("/") || rest.hasPrefix("?") || rest.hasPrefix("#") else { return nil }
    return rest
  }

  /// Returns authority and path of an http URL, or of one without a scheme.
  private static func split(_ text: String) -> (authority: Substring, path: Substring)? {
    let lowered = text.prefix(8).lowercased()
    let start = lowered.hasPrefix("http://") ? 7 : lowered.hasPrefix("https://") ? 8 : lowered.hasPrefix("//") ? 2 : nil
    guard let start else { return nil }
    let rest = text.dropFirst(start)
    let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    return (authority, rest.dropFirst(authority.count))
  }

  /// Returns true if two authorities are equal; a default port may be missing.
  private static func isSame(_ first: String, _ second: Substring) -> Bool {
    func normalized(_ text: String) -> String {
      let text = text.lowercased()
      return text.hasSuffix(":80") ? String(text.dropLast(3)) : text.hasSuffix(":443") ? String(text.dropLast(4)) : text
    }
    return normalized(first) == normalized(String(second))
  }
}

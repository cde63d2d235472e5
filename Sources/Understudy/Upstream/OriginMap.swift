import Contract
import HTTP1
import Primitives

/// The backend's place on the net, and the client's name for it. The URLs of fields are translated between the two, in both
/// directions.
struct OriginMap: Sendable {
  /// An origin and a path below which everything lies.
  struct Place: Sendable {
    /// Scheme and authority of the URLs that are made for it; empty if they are unknown.
    let origin: String
    /// The authorities that name it: the one in its own URLs, and others that mean the same.
    let authorities: [String]
    /// The path before every path: empty, or with a leading slash and no trailing one.
    let prefix: String

    /// - Parameter aliases: Further authorities that name the place.
    init(scheme: Scheme, authority: String, aliases: [String] = [], prefix: String) {
      origin = scheme.rawValue + "://" + authority
      authorities = [authority] + aliases
      self.prefix = prefix
    }

    /// Reads a place of a URL; nil if it names no host.
    init?(url: String) {
      guard let scheme = Scheme(rawValue: String(url.prefix { $0 != ":" })),
        let (authority, path) = OriginMap.url(Array(url.utf8)[...]), !authority.isEmpty
      else { return nil }
      self.init(
        scheme: scheme, authority: String(decoding: authority, as: UTF8.self),
        prefix: String(decoding: path, as: UTF8.self))
    }

    private init() { (origin, authorities, prefix) = ("", [], "") }

    /// A place of which nothing is known.
    static let unknown = Place()

    /// The authority in its own URLs; empty if it is unknown.
    var authority: String { authorities.first ?? "" }

    /// The name of its host.
    var host: String { HostField(authority.utf8).host }
  }

  let backend: Place
  let client: Place
  /// True if the request is from a page of another origin, whose name the backend repeats in the fields about it.
  var isForForeignPage = false

  /// A field that holds a URL, or a part of one.
  private enum Kind {
    case url
    /// Scheme and authority alone (RFC 6454 section 6.2).
    case origin
    /// URLs in angle brackets (RFC 8288 section 3).
    case links
    /// A cookie with its attributes (RFC 6265 section 4.1.1).
    case cookie
  }

  private static let requestFields: [(name: [UInt8], kind: Kind)] = [
    ("origin", .origin), ("referer", .url), ("destination", .url),
  ].map { (Array($0.utf8), $1) }

  private static let responseFields: [(name: [UInt8], kind: Kind)] = [
    ("location", .url), ("content-location", .url), ("link", .links),
    ("access-control-allow-origin", .origin),
    ("set-cookie", .cookie),
  ].map { (Array($0.utf8), $1) }

  /// Returns the value of a request's field as the backend must see it.
  func backendValue(of value: ArraySlice<UInt8>, named name: ArraySlice<UInt8>) -> [UInt8] {
    Self.kind(of: name, in: Self.requestFields)
      .map { Self.translated(value, as: $0, from: client, to: backend) } ?? Array(value)
  }

  /// Returns the value of a response's field as the client must see it.
  func clientValue(of value: ArraySlice<UInt8>, named name: ArraySlice<UInt8>) -> [UInt8] {
    guard let kind = Self.kind(of: name, in: Self.responseFields), !(kind == .origin && isForForeignPage) else {
      return Array(value)
    }
    return Self.translated(value, as: kind, from: backend, to: client)
  }

  /// Returns true if a value of `Origin` names the client's place.
  func isClientOrigin(_ value: ArraySlice<UInt8>) -> Bool {
    Self.url(value).map { client.isNamed(by: $0.authority) } ?? false
  }

  /// Returns the target by which the client must request a URL of the backend; nil if it is not the backend's.
  func clientTarget(of url: String) -> String? {
    guard let parts = Self.url(Array(url.utf8)[...]), backend.isNamed(by: parts.authority),
      let rest = backend.rest(of: parts.path)
    else { return nil }
    return String(decoding: client.path(of: rest), as: UTF8.self)
  }
}

extension OriginMap {
  private static func kind(of name: ArraySlice<UInt8>, in table: [(name: [UInt8], kind: Kind)]) -> Kind? {
    table.first { ConnectionOptions.isEqual(name, $0.name) }?.kind
  }

  /// Returns a value with the URLs of one place as those of the other; everything else as it is, byte for byte.
  private static func translated(_ value: ArraySlice<UInt8>, as kind: Kind, from: Place, to: Place)
    -> [UInt8]
  {
    switch kind {
    case .url: translatedURL(value, from: from, to: to) ?? Array(value)
    case .origin: translatedOrigin(value, from: from, to: to) ?? Array(value)
    case .links: translatedLinks(value, from: from, to: to)
    case .cookie: translatedCookie(value, from: from, to: to)
    }
  }

  private static func translatedURL(_ value: ArraySlice<UInt8>, from: Place, to: Place) -> [UInt8]? {
    if let (authority, path) = url(value) {
      guard from.isNamed(by: authority), let rest = from.rest(of: path),
        !(to.isNamed(by: authority) && from.prefix == to.prefix)
      else { return nil }
      return Array(to.origin.utf8) + to.path(of: rest)
    }
    guard value.first == Byte.slash, let rest = from.rest(of: value) else { return nil }
    let path = to.path(of: rest)
    // Two slashes would begin an authority (RFC 3986 section 4.2).
    return path.starts(with: "//".utf8)
      ? Array((to.origin.isEmpty ? "/." : to.origin).utf8) + path : path
  }

  private static func translatedOrigin(_ value: ArraySlice<UInt8>, from: Place, to: Place)
    -> [UInt8]?
  {
    guard let (authority, path) = url(value), path.isEmpty, from.isNamed(by: authority),
      !to.isNamed(by: authority)
    else {
      return nil
    }
    return Array(to.origin.utf8)
  }

  private static func translatedLinks(_ value: ArraySlice<UInt8>, from: Place, to: Place) -> [UInt8] {
    var output: [UInt8] = []
    var rest = value
    var isQuoted = false
    while let byte = rest.popFirst() {
      output.append(byte)
      if byte == Byte.quote { isQuoted.toggle() }
      if byte == Byte.backslash, isQuoted, let escaped = rest.popFirst() { output.append(escaped) }
      guard byte == UInt8(ascii: "<"), !isQuoted, let end = rest.firstIndex(of: UInt8(ascii: ">"))
      else { continue }
      output += translatedURL(rest[..<end], from: from, to: to) ?? Array(rest[..<end])
      rest = rest[end...]
    }
    return output
  }

  /// Returns a cookie that the client sends back: without a domain of the other place, which its own host does not match, and
  /// with the path below its own prefix.
  private static func translatedCookie(_ value: ArraySlice<UInt8>, from: Place, to: Place)
    -> [UInt8]
  {
    let parts = value.split(separator: Byte.semicolon, omittingEmptySubsequences: false)
    // The prefix of the name fixes domain and path (RFC 6265bis section 4.1.3.2).
    guard let pair = parts.first, !pair.starts(with: "__Host-".utf8) else { return Array(value) }
    var output = Array(pair)
    for part in parts.dropFirst() {
      guard let equals = part.firstIndex(of: Byte.equals) else {
        output += [Byte.semicolon] + part
        continue
      }
      let name = part[..<equals].filter { !Byte.isBlank($0) }.map(Byte.lowercased)
      let text = part[(equals + 1)...].trimmingBlanks
      if name == Array("domain".utf8), from.hasHost(below: text), !to.hasHost(below: text) {
        continue
      }
      if name == Array("path".utf8), let path = from.cookiePath(text, in: to) {
        output += [Byte.semicolon] + part[...equals] + path
      } else {
        output += [Byte.semicolon] + part
      }
    }
    return output
  }

  /// Returns authority and path of an http URL, or of one without a scheme; nil for other references.
  fileprivate static func url(
    _ value: ArraySlice<UInt8>
  ) -> (authority: ArraySlice<UInt8>, path: ArraySlice<UInt8>)? {
    let start = ["http://", "https://", "//"].first { start in
      value.count >= start.utf8.count
        && zip(value, start.utf8).allSatisfy { Byte.lowercased($0) == $1 }
    }
    guard let start else { return nil }
    let rest = value.dropFirst(start.utf8.count)
    let authority = rest.prefix {
      $0 != Byte.slash && $0 != Byte.question && $0 != UInt8(ascii: "#")
    }
    return (authority, rest[authority.endIndex...])
  }
}

extension OriginMap.Place {
  /// Returns true if an authority in a URL names the place; a default port may be missing, and the names of loopback are equal.
  fileprivate func isNamed(by authority: ArraySlice<UInt8>) -> Bool {
    let name = Self.normalized(HostField(authority))
    return authorities.contains { Self.normalized(HostField($0.utf8)) == name }
  }

  private static func normalized(_ field: HostField) -> String {
    let host = ["127.0.0.1", "[::1]"].contains(field.host) ? "localhost" : field.host
    return field.port.map { $0 == 80 || $0 == 443 ? host : "\(host):\($0)" } ?? host
  }

  /// Returns a path below the prefix; nil if it is outside.
  fileprivate func rest(of path: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    guard path.starts(with: prefix.utf8) else { return nil }
    let rest = path.dropFirst(prefix.utf8.count)
    guard let next = rest.first else { return rest }
    return [Byte.slash, Byte.question, UInt8(ascii: "#")].contains(next) ? rest : nil
  }

  /// Returns a path with the prefix. A reference without a path would be about the page that has it (RFC 3986 section 5.2.2).
  fileprivate func path(of rest: ArraySlice<UInt8>) -> [UInt8] {
    let path = Array(prefix.utf8) + rest
    return path.first == Byte.slash ? path : [Byte.slash] + path
  }

  /// Returns true if the host is a domain, or below it (RFC 6265 section 5.1.3).
  fileprivate func hasHost(below domain: ArraySlice<UInt8>) -> Bool {
    let domain = String(decoding: domain.drop { $0 == Byte.dot }, as: UTF8.self).lowercased()
    return host == domain || host.hasSuffix("." + domain)
  }

  /// Returns the path of a cookie of this place in another one; nil if it is the same there.
  fileprivate func cookiePath(_ path: ArraySlice<UInt8>, in other: Self) -> [UInt8]? {
    guard prefix != other.prefix, path.first == Byte.slash else { return nil }
    // A path above the prefix is that of everything below it, too (RFC 6265 section 5.1.4).
    let isAbove =
      (prefix + "/").utf8.starts(with: path)
      && (path.last == Byte.slash || path.count == prefix.utf8.count)
    guard let rest = isAbove ? [] : rest(of: path) else { return nil }
    return rest == [Byte.slash] || rest.isEmpty
      ? Array((other.prefix.isEmpty ? "/" : other.prefix).utf8) : other.path(of: rest)
  }
}

extension ArraySlice<UInt8> {
  /// The bytes without blanks around them.
  fileprivate var trimmingBlanks: ArraySlice<UInt8> {
    let start = drop(while: Byte.isBlank)
    return start.lastIndex { !Byte.isBlank($0) }.map { start[...$0] } ?? start[start.endIndex...]
  }
}

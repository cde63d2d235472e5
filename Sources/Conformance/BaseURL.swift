/// The address of the server under test: `http`, a host, optionally a port and a path.
struct BaseURL: Sendable {
  let host: String
  let port: Int
  /// The prefix of every requested path: empty, or with a leading slash and no trailing one.
  let path: String
  /// The value of the `Host` field.
  let authority: String

  init(_ text: String) throws(JudgeError) {
    let scheme = "http://"
    guard text.lowercased().hasPrefix(scheme) else {
      let hint =
        text.lowercased().hasPrefix("https://") ? "https is not supported; use a proxy that terminates TLS" : Self.form
      throw .usage("\(text): \(hint)")
    }
    let rest = text.dropFirst(scheme.count)
    let authority = rest.prefix { $0 != "/" }
    let path = rest.dropFirst(authority.count)
    guard !authority.isEmpty, !authority.contains("@"), !text.contains(where: { $0 == "?" || $0 == "#" || $0 == " " })
    else { throw .usage("\(text): \(Self.form)") }
    let digits = authority.hasSuffix("]") ? "" : Self.port(of: authority)
    guard let port = digits.map({ $0.isEmpty ? 80 : Int($0) }) ?? 80, (1...65_535).contains(port) else {
      throw .usage("\(text): \(Self.form)")
    }
    let name = digits.map { $0.isEmpty && !authority.hasSuffix(":") ? authority : authority.dropLast($0.count + 1) }
    host = String(name ?? authority).trimmingBrackets
    self.port = port
    self.authority = String(authority)
    self.path = path.split(separator: "/").map { "/" + $0 }.joined()
    guard !host.isEmpty else { throw .usage("\(text): \(Self.form)") }
  }

  private static let form = "expected an address such as http://localhost:8080"

  /// Returns the text after the last colon outside brackets; nil if there is none.
  private static func port(of authority: Substring) -> Substring? {
    guard let colon = authority.lastIndex(of: ":") else { return nil }
    return authority[authority.index(after: colon)...]
  }

  var text: String { "http://" + authority + path }
}

extension String {
  /// The text without the brackets that mark an IPv6 address in a URL.
  fileprivate var trimmingBrackets: String {
    hasPrefix("[") && hasSuffix("]") ? String(dropFirst().dropLast()) : self
  }
}

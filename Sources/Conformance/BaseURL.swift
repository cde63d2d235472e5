/// The address of a server under judgement: `http`, a host, perhaps a port and a path.
struct BaseURL: Sendable {
  let host: String
  let port: Int
  /// What stands before every path that is asked for; empty, or with a slash in front and none behind.
  let path: String
  /// What the `Host` field says.
  let authority: String

  init(_ text: String) throws(JudgeError) {
    let scheme = "http://"
    guard text.lowercased().hasPrefix(scheme) else {
      let hint = text.lowercased().hasPrefix("https://") ? "https is not spoken here; put a proxy between" : Self.form
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

  /// What stands behind the last colon outside brackets; nil where there is none.
  private static func port(of authority: Substring) -> Substring? {
    guard let colon = authority.lastIndex(of: ":") else { return nil }
    return authority[authority.index(after: colon)...]
  }

  var text: String { "http://" + authority + path }
}

extension String {
  /// An IPv6 address without what marks it as one in a URL.
  fileprivate var trimmingBrackets: String {
    hasPrefix("[") && hasSuffix("]") ? String(dropFirst().dropLast()) : self
  }
}

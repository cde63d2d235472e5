import Contract
import JSON
import Primitives

extension Check {
  /// Returns the check that an operation's response to any request, meaningful or not, is declared in the contract.
  static func undeclared(_ api: API) -> Check {
    Check(
      "\(api.name)-no-undeclared-answer", in: api.name,
      "Unusual bodies, queries, names and fields get only declared statuses, with declared bodies and fields.",
      from: .ours("openapi.yaml"), needs: .sandbox
    ) { session throws(EarlyEnd) in
      for operation in api.operations {
        guard let route = Route(operation, of: api, by: session) else { continue }
        let method = operation.method.rawValue
        for query in queries { try ask(session, operation, method, route.path + query, [], nil) }
        for field in fields { try ask(session, operation, method, route.path, [field], nil) }
        for path in oddPaths(of: operation, route) { try ask(session, operation, method, path, [], nil) }
        guard operation.documentation.body != nil else { continue }
        for body in bodies { try ask(session, operation, method, route.path, ["Content-Type: application/json"], body) }
      }
    }
  }

  private static func ask(
    _ session: Session, _ operation: Contract.Operation, _ method: String, _ path: String, _ fields: [String],
    _ body: String?
  ) throws(EarlyEnd) {
    try session.exchange(method, path, fields, body: body).hold(to: operation)
  }

  private static let queries = [
    "?", "?a", "?a=%20&&=b", "?_page=-1&_limit=99999999999999999999&_sort=,&_order=x", "?q=%00%FF",
  ]

  private static let fields = [
    "Range: bytes=0-1", "Accept: image/webp", "Accept-Encoding: gzip, br", "Content-Type: ;;;", "If-None-Match: \"x\"",
    "If-Modified-Since: yesterday", "Cookie: a=b; c", "X-HTTP-Method-Override: DELETE", "Prefer: ",
  ]

  private static let bodies = [
    "", "{", "[]", "null", "\"x\"", "1e999", "{\"a\":1,\"a\":2}", "\u{FEFF}{}", String(repeating: "[", count: 200),
    "{\"name\":\"\\ud800\"}", "{} {}", "{\"id\":\"\(String(repeating: "a", count: 10_000))\"}",
  ]

  /// Returns the route's paths with each variable segment replaced by an unusual one. A name that does not exist is
  /// 404, whatever its characters.
  private static func oddPaths(of operation: Contract.Operation, _ route: Route) -> [String] {
    let segments = operation.path.segments
    let written = route.plain.split(separator: "/").map(String.init)
    let odd = ["%00", "%FF", "a%2Fb", "%F0%9F%9A%AA", "%25", "a;b", "~", String(repeating: "a", count: 300)]
    return segments.indices.flatMap { index -> [String] in
      guard case .variable = segments[index] else { return [] }
      return odd.map { text in
        var parts = written
        parts[index] = text
        return route.prefix + "/" + parts.joined(separator: "/")
      }
    }
  }
}

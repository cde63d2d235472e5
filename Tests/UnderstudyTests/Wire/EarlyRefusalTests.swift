import JSON
import LiveTesting
import Primitives
import Testing

@testable import Understudy

/// A request with `Expect: 100-continue` whose head already decides the final status (RFC 9110 section 10.1.1).
@Suite("Final statuses in place of 100 Continue")
struct EarlyRefusalTests {
  private static let body = "GET /users/2 HTTP/1.1\r\nHost: a\r\n\r\n"

  /// A head that announces `body`.
  private static func head(
    _ method: String, _ path: String, _ fields: String..., host: String = "localhost"
  ) -> String {
    let lines = ["\(method) \(path) HTTP/1.1", "Host: \(host)"] + fields
    let content = ["Expect: 100-continue", "Content-Length: \(body.utf8.count)"]
    return (lines + content).map { $0 + "\r\n" }.joined() + "\r\n"
  }

  private static let device = "/devices/WWM-0001-12"

  static let refused: [(head: String, status: Int)] = [
    (head("PATCH", "/nowhere"), 404), (head("PUT", device), 405), (head("BREW", device), 501),
    (head("POST", "/@unknown/book"), 404), (head("POST", "/@a/@b/book"), 400),
    (head("PATCH", device, "If-Match: \"x\""), 412), (head("PATCH", device, "If-None-Match: *"), 412),
    (head("POST", "/book", "If-Match: \"x\""), 412), (head("POST", "/book", "Content-Encoding: gzip"), 415),
    (head("POST", "/book", "Idempotency-Key:"), 400), (head("PUT", "/users/1/x"), 404),
    (head("PUT", "/_mock/scenario", host: "attacker.example"), 403),
    (head("PUT", "/_mock/scenario", "Origin: http://attacker.example"), 403),
  ]

  /// Sends a head and then its content, and expects the response to the head alone.
  private static func expectOneResponse(to head: String, _ status: Int) async throws {
    try await withServer { server in
      let client = try WireConnection(server.port)
      try client.send(head)
      let response = try client.response()
      #expect(response.status == status)
      #expect(response["Connection"] == "close")
      try client.send(Self.body)
      #expect(client.end() == .finished(""))
    }
  }

  @Test("are sent at once, and content that follows is not read as a request", arguments: refused)
  func early(head: String, status: Int) async throws {
    try await Self.expectOneResponse(to: head, status)
  }

  static let bodiless: [(head: String, status: Int)] = [
    (head("GET", "/devices"), 200), (head("GET", "/users/1"), 200), (head("GET", "/devices/unknown"), 404),
    (head("DELETE", "/users/1"), 200), (head("POST", "/_mock/reset"), 204), (head("OPTIONS", "*"), 204),
    (head("GET", "/Bedroom/Light1/on"), 200), (head("GET", "/devices", "Prefer: code=503"), 503),
    (head("GET", "/book?name=Ljerka", "Idempotency-Key: k"), 200),
  ]

  @Test("an operation that reads no content is answered at once, and its content is no request", arguments: bodiless)
  func noContent(head: String, status: Int) async throws {
    try await Self.expectOneResponse(to: head, status)
  }

  @Test("are sent at once for a missing token")
  func token() async throws {
    try await withServer({ $0.adminToken = "secret" }) { server throws in
      #expect(try exchange(server, Self.head("PUT", "/_mock/scenario")).status == 401)
    }
  }

  @Test(
    "are not sent where they depend on the content",
    arguments: [
      head("PATCH", device), head("PATCH", "/devices/unknown"), head("PATCH", device, "If-Match: *"),
      head("POST", "/book", "Idempotency-Key: k"), head("PUT", "/users/99"),
      head("DELETE", "/users/1", "Idempotency-Key: k"),
    ])
  func open(head: String) async throws {
    try await withServer { server throws in
      #expect(try exchange(server, head).status == 100)
    }
  }

  @Test("are not sent for a known idempotency key, which may have a stored response")
  func storedKey() async throws {
    try await withServer { server throws in
      let fields = ["Idempotency-Key: k", "If-Match: \"x\""]
      #expect(try exchange(server, wire("POST", "/book", fields[0], body: "{}")).status == 200)
      #expect(try exchange(server, Self.head("POST", "/book", fields[0], fields[1])).status == 100)
    }
  }

  @Test("are planned, counted and recorded in the journal like other responses")
  func planned() async throws {
    let rule = "{\"match\":{\"path\":\"/devices/*\"},\"when\":{\"nth\":2},\"effect\":{\"status\":503}}"
    try await withStage(rule) { stage throws in
      for status in [412, 503] {
        #expect(try exchange(stage.server, Self.head("PATCH", Self.device, "If-Match: \"x\"")).status == status)
      }
      #expect(try stage.requests().map { $0["n"]?.int } == [1, 2])
    }
  }
}

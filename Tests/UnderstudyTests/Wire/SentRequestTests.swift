import JSON
import LiveTesting
import Report
import Testing

@testable import Understudy

@Suite("A request that the control API sends", .live)
struct SentRequestTests {
  private static let read = #"""
    {"method":"GET","target":"/users/1","headers":{"User-Agent":"android/3.3","Cookie":"a=1","Prefer":"fault=truncate"}}
    """#

  @Test("arrives as a client's, with its fields and its faults")
  func arrives() async throws {
    try await withStage { stage in
      #expect(try exchange(stage.server, wire("POST", "/_mock/requests", body: Self.read)).status == 204)
      let entry = try await stage.lastEnded()
      #expect(entry["request", "headers", "User-Agent"] == "android/3.3" && entry["plan", "fault"] == "truncate")
      #expect(entry["request", "headers", "Host"] == "localhost")
      #expect(entry["method"] == "GET" && entry["target"] == "/users/1" && entry["outcome"] == "closed")
    }
  }

  @Test("with content has its length, whatever fields about it and the connection it had")
  func framesContent() async throws {
    try await withStage { stage in
      let body = #"""
        {"method":"POST","target":"/book","headers":{"Content-Length":"99","Connection":"X-A","Upgrade":"h2c","x-a":"1"},
         "body":"{\"name\":\"Ljerka\"}"}
        """#
      #expect(try exchange(stage.server, wire("POST", "/_mock/requests", body: body)).status == 204)
      let entry = try await stage.lastEnded()
      #expect(entry["applied"] == true && entry["request", "headers", "Content-Length"] == "17")
      #expect(entry["request", "headers", "Connection"] == "close" && entry["request", "headers", "x-a"] == "1")
      #expect(entry["request", "headers", "Upgrade"] == nil)
    }
  }

  @Test(
    "has a length if it has content, or a field about it",
    arguments: [
      (#""body":"{}""#, "2"), (#""headers":{"Content-Length":"5"}"#, "0"),
      (#""headers":{"Transfer-Encoding":"chunked"}"#, "0"), (#""headers":{}"#, nil),
    ] as [(String, String?)])
  func length(members: String, length: String?) async throws {
    try await withStage { stage in
      let body = #"{"method":"POST","target":"/users",\#(members)}"#
      #expect(try exchange(stage.server, wire("POST", "/_mock/requests", body: body)).status == 204)
      let entry = try await stage.lastEnded()
      #expect(entry["request", "headers", "Content-Length"]?.string == length)
    }
  }

  @Test("is answered as soon as it is sent, and lets the loop rest while its own response does not come")
  func waits() throws {
    let loop = try VirtualLoop()
    let client = try WireConnection(loop.port)
    let body = #"{"method":"GET","target":"/users/1","headers":{"Prefer":"delay=30s"}}"#
    try client.send(wire("POST", "/_mock/requests", body: body))
    func isAnswered() -> Bool {
      loop.turn()
      return !client.available().isEmpty
    }
    try #require((0..<1_000).contains { _ in isAnswered() })
    #expect(try client.response().status == 204)
    #expect((0..<100).contains { _ in loop.turn() != nil })
  }

  @Test("goes to the port that its Host names, and thereby to a sandbox")
  func choosesPort() async throws {
    try await withStage { stage in
      let made = try stage.json("/_mock/sandboxes", "POST", #"{"name":"ci","port":0}"#)
      let port = try #require(made["port"]?.int)
      let body = #"{"method":"GET","target":"/users/1","headers":{"Host":"127.0.0.1:\#(port)"}}"#
      #expect(try exchange(stage.server, wire("POST", "/_mock/requests", body: body)).status == 204)
      try #require(
        await stage.server.becomes { loop in
          loop.application.state.sandboxes["ci"]?.traffic.journal.entries(after: 0, limit: 9).last?.outcome == .sent
        })
      _ = try stage.json("/@ci/_mock/network", "PATCH", #"{"state":"offline","as":"refused"}"#)
      let refused = try exchange(stage.server, wire("POST", "/_mock/requests", body: body))
      #expect(refused.status == 502 && refused.text.contains("No connection to port \(port)"), "\(refused.text)")
    }
  }

  @Test("from the control port arrives at the backend")
  func reachesBackend() async throws {
    let backend = try ScriptedBackend(answering: ScriptedBackend.response("200 OK", "{}"))
    try await Stage.inFrontOf(backend) { stage in
      let port = try #require(stage.server.controlPort)
      let page = "Origin: http://127.0.0.1:\(port)"
      let body = #"{"method":"GET","target":"/orders","headers":{"User-Agent":"android/3.3","Cookie":"a=1"}}"#
      let request = wire("POST", "/_mock/requests", page, host: "127.0.0.1:\(port)", body: body)
      #expect(try exchange(stage.server, request, port: port).status == 204)
      #expect(await backend.requests.becomes { $0.count == 1 })
      let received = try #require(backend.requests.withLock { $0.first })
      #expect(received.hasPrefix("GET /orders HTTP/1.1\r\n") && received.contains("\r\nCookie: a=1\r\n"))
      #expect(received.contains("\r\nUser-Agent: android/3.3\r\n") && !received.contains("Origin"))
    }
  }

  @Test(
    "is refused if it is no request of HTTP",
    arguments: [
      (#"{"method":"GET","target":"/a b"}"#, "expected a request of HTTP/1.1"),
      (#"{"method":"GET","target":"/","headers":{"A":"1\r\nB: 2"}}"#, "line break"),
      (#"{"method":"GET","target":"/","headers":{"A B":"1"}}"#, "expected a request of HTTP/1.1"),
      (#"{"method":"GET"}"#, "target"),
    ])
  func refusesOthers(body: String, reason: String) async throws {
    try await withStage { stage in
      let response = try exchange(stage.server, wire("POST", "/_mock/requests", body: body))
      #expect(response.status == 400 && response.text.contains(reason), "\(response.text)")
      #expect(try stage.requests().isEmpty)
    }
  }
}

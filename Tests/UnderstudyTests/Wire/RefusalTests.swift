import HTTP1
import LiveTesting
import Primitives
import Testing

@testable import Understudy

@Suite("Refused requests over sockets")
struct RefusalTests {
  /// A request that is refused, and the expected status.
  struct Bad: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let bytes: String
    let status: Int

    static let all = [
      Bad(testDescription: "no HTTP at all", bytes: "hello\r\n\r\n", status: 400),
      Bad(testDescription: "no Host", bytes: "GET / HTTP/1.1\r\n\r\n", status: 400),
      Bad(testDescription: "a blank before the colon", bytes: wire("GET", "/", "X : y"), status: 400),
      Bad(
        testDescription: "two framings",
        bytes: wire("POST", "/book", "Transfer-Encoding: chunked", body: "0\r\n\r\n"), status: 400),
      Bad(
        testDescription: "a target of 9 KB", bytes: wire("GET", "/" + String(repeating: "a", count: 9_000)), status: 414
      ),
      Bad(
        testDescription: "a field of 33 KB",
        bytes: wire("GET", "/", "X: " + String(repeating: "a", count: 33_000)), status: 431),
      Bad(
        testDescription: "129 fields",
        bytes: "GET / HTTP/1.1\r\nHost: a\r\n" + String(repeating: "X: y\r\n", count: 128) + "\r\n", status: 431),
      Bad(
        testDescription: "a body of 100 GB", bytes: wire("POST", "/book", "Content-Length: 99999999999"), status: 413),
      Bad(
        testDescription: "a body of 1 MiB and a byte", bytes: wire("POST", "/book", "Content-Length: 1048577"),
        status: 413),
      Bad(testDescription: "an unknown expectation", bytes: wire("GET", "/", "Expect: tea"), status: 417),
      Bad(testDescription: "HTTP/2.0", bytes: wire("GET", "/", version: "2.0"), status: 505),
    ]
  }

  @Test(
    "invalid requests get a problem, then FIN, and never RST", arguments: PollerKind.allCases, Bad.all)
  func malformed(poller: PollerKind, bad: Bad) async throws {
    try await withServer(using: poller) { server in
      let client = try WireConnection(server.port)
      // More bytes follow than the kernel's buffers hold: a server that simply closed would send RST.
      try client.send(Array(bad.bytes.utf8) + [UInt8](repeating: 0x41, count: 300_000))
      let response = try client.response()
      #expect(response.status == bad.status)
      #expect(response["Content-Type"] == "application/problem+json")
      #expect(response["Connection"] == "close")
      #expect(response["Date"] != nil)
      #expect(response["Access-Control-Allow-Origin"] == "*")
      #expect(response.text.contains("\"status\":\(bad.status)"))
      try client.send([UInt8](repeating: 0x42, count: 100_000))
      #expect(client.end() == .finished(""))
      client.hangUp()
      #expect(await server.becomes { $0.connections.count == 0 })
    }
  }

  @Test("a valid request before invalid bytes is answered first", arguments: PollerKind.allCases)
  func goodThenBad(poller: PollerKind) async throws {
    try await withServer(using: poller) { server in
      let client = try WireConnection(server.port)
      try client.send(wire("GET", "/users/1") + wire("POST", "/book", "Content-Length: x") + wire("GET", "/users/2"))
      let first = try client.response()
      #expect(first.status == 200)
      #expect(first["Connection"] == nil)
      #expect(try client.response().status == 400)
      #expect(client.end() == .finished(""))
    }
  }

  @Test("a body of exactly 1 MiB is accepted", arguments: PollerKind.allCases)
  func largestBody(poller: PollerKind) async throws {
    try await withServer(using: poller) { server in
      let client = try WireConnection(server.port)
      let body = "{\"name\":null}" + String(repeating: " ", count: (1 << 20) - 13)
      try client.send(wire("POST", "/book", body: body) + wire("GET", "/users/1"))
      #expect(try client.response().status == 200)
      #expect(try client.response().status == 200)
    }
  }

  @Test(
    "an incomplete head gets 408 after its timeout, even with a longer idle timeout", arguments: PollerKind.allCases)
  func slowHead(poller: PollerKind) async throws {
    try await withServer(using: poller, { $0.timeouts.head = .milliseconds(50) }) { server in
      let client = try WireConnection(server.port)
      try client.send(wire("GET", "/users/1"))
      #expect(try client.response().status == 200)
      try client.send("GET / HTTP/1.1\r\nHo")
      let response = try client.response()
      #expect(response.status == 408)
      #expect(response["Connection"] == "close")
      #expect(client.end() == .finished(""))
    }
  }

  @Test("an incomplete body gets 408 after its timeout", arguments: PollerKind.allCases)
  func slowBody(poller: PollerKind) async throws {
    try await withServer(using: poller, { $0.timeouts.body = .milliseconds(50) }) { server in
      let client = try WireConnection(server.port)
      try client.send(wire("POST", "/book", "Expect: 100-continue", "Content-Length: 9"))
      #expect(try client.response().status == 100)
      try client.send("{")
      #expect(try client.response().status == 408)
      #expect(client.end() == .finished(""))
    }
  }

  @Test("an idle connection is closed without a response", arguments: PollerKind.allCases)
  func idle(poller: PollerKind) async throws {
    let clock = ManualClock()
    func change(_ options: inout MockServer.Options) {
      options.clocks = clock.clocks
      options.timeouts.idle = .seconds(50)
    }
    try await withServer(using: poller, change) { server in
      let fresh = try WireConnection(server.port)
      let used = try server.usedConnection()
      #expect(await server.becomes { $0.connections.count == 2 })
      await clock.advance(by: .seconds(50), server)
      #expect(fresh.end() == .finished("") && used.end() == .finished(""))
    }
  }

  @Test("a client that does not close in time is disconnected", arguments: PollerKind.allCases)
  func linger(poller: PollerKind) async throws {
    try await withServer(using: poller, { $0.timeouts.linger = .milliseconds(50) }) { server in
      let client = try WireConnection(server.port)
      try client.send(wire("GET", "/users/1", "Connection: close"))
      #expect(try client.response().status == 200)
      #expect(client.end() == .finished(""))
      #expect(await server.becomes { $0.connections.count == 0 }, "while the client is still open")
      client.hangUp()
    }
  }

  @Test("a request that FIN cuts short gets an error with this reason", arguments: PollerKind.allCases)
  func cutShort(poller: PollerKind) async throws {
    try await withServer(using: poller) { server in
      let client = try WireConnection(server.port)
      try client.send(wire("POST", "/book", "Content-Length: 9") + "{")
      client.finishWriting()
      let response = try client.response()
      #expect(response.status == 400)
      #expect(response.text.contains("before the request was complete"))
      #expect(client.end() == .finished(""))
    }
  }
}

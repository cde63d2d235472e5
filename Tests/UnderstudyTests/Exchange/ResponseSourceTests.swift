import JSON
import Platform
import Primitives
import Report
import Services
import Testing

@testable import Understudy

@Suite("A source of responses in place of the state's handlers")
struct ResponseSourceTests {
  /// A backend that responds to every call alike, counts them, and stores the last head.
  private struct CannedBackend: ResponseSource {
    let count = Locked(0)
    let head = Locked("")

    func respond(api: Int, to call: Call, head: ArraySlice<UInt8>) -> Response {
      count.withLock { $0 += 1 }
      self.head.withLock { $0 = String(decoding: head, as: UTF8.self) }
      return Response(200, Representation(["from": "the backend"]), changed: !call.body.isEmpty)
    }
  }

  private static let text = #"{"from":"the backend"}"#

  /// Sends `Stage.write` under a rule to a sandbox with a canned backend.
  ///
  /// - Returns: The response, if one was received, the journal's entry, and the number of calls.
  private func write(
    under effect: String, _ phase: String
  ) async throws -> (response: WireResponse?, entry: JSONValue, calls: Int) {
    try await withStage { stage in
      let backend = CannedBackend()
      _ = await stage.server.ask { loop in loop.application.state.sandboxes[nil]?.source = backend }
      try stage.arm(#"{"name":"r","match":{"changes":true},"phase":"\#(phase)","effect":\#(effect)}"#)
      let response = try? exchange(stage.server, Stage.write)
      try #require(await stage.server.journalBecomes { $0.last?.outcome != .pending })
      let entry = try #require(try stage.requests().last)
      #expect(try stage.spots() == 43, "the state's handlers are not called")
      return (response, entry, backend.count.withLock { $0 })
    }
  }

  @Test("responds to reads and writes, and an applied write is recorded as such and not missed in the sandbox's data")
  func responds() async throws {
    try await withStage { stage in
      let backend = CannedBackend()
      _ = await stage.server.ask { loop in loop.application.state.sandboxes[nil]?.source = backend }
      let written = try exchange(stage.server, Stage.write)
      #expect(written.text == Self.text)
      #expect(try exchange(stage.server, wire("GET", "/devices")).text == Self.text)
      #expect(backend.count.withLock { $0 } == 2)
      #expect(try stage.requests().first?["applied"] == true)
      let checks = try #require(try stage.json("/_mock/report?final=true&format=json")["checks"]?.array)
      #expect(checks.filter { $0["verdict"] == "fail" } == [])
      #expect(try exchange(stage.server, wire("GET", "/nothing")).status == 404, "the router refuses it before")
      #expect(backend.count.withLock { $0 } == 2)
    }
  }

  @Test(
    "is never asked with a fault of phase before",
    arguments: [
      #"{"status":503}"#, #"{"fault":"reset"}"#, #"{"fault":"empty"}"#, #"{"fault":"garbage"}"#,
      #"{"fault":"captive-portal"}"#,
    ])
  func before(effect: String) async throws {
    let (response, entry, calls) = try await write(under: effect, "before")
    #expect(calls == 0)
    #expect(response?.text != Self.text)
    #expect(entry["applied"] != true)
    #expect(entry["outcome"] != "not deliverable")
  }

  @Test(
    "is asked once with a fault of phase after, which harms its response",
    arguments: [
      #"{"status":503}"#, #"{"fault":"reset"}"#, #"{"fault":"empty"}"#, #"{"fault":"truncate","at":"1/2"}"#,
      #"{"fault":"corrupt"}"#, #"{"fault":"captive-portal"}"#,
    ])
  func after(effect: String) async throws {
    let (response, entry, calls) = try await write(under: effect, "after")
    #expect(calls == 1)
    #expect(response?.text != Self.text)
    #expect(entry["applied"] == true)
  }

  @Test("gets the head as received, so that it can evaluate the preconditions of a write")
  func head() async throws {
    try await withStage { stage in
      let backend = CannedBackend()
      _ = await stage.server.ask { loop in loop.application.state.sandboxes[nil]?.source = backend }
      let request = wire(
        "POST", "/book", "If-Match: \"theirs\"", "Authorization: Bearer x", body: #"{"name":"Ljerka"}"#)
      let response = try exchange(stage.server, request)
      #expect(response.text == Self.text)
      let head = backend.head.withLock { $0 }
      #expect(head.hasPrefix("POST /book HTTP/1.1\r\n") && head.hasSuffix("\r\n\r\n"))
      #expect(head.contains("If-Match: \"theirs\"\r\n") && head.contains("Authorization: Bearer x\r\n"))
    }
  }

  @Test("has no older state, so a fault that shows one is undeliverable, and the sandbox's data is not shown")
  func stale() async throws {
    let rule = #"{"name":"r","match":{"path":"/devices"},"effect":{"fault":"stale"}}"#
    try await withStage(rule) { stage in
      let backend = CannedBackend()
      _ = await stage.server.ask { loop in loop.application.state.sandboxes[nil]?.source = backend }
      #expect(try exchange(stage.server, wire("GET", "/devices")).text == Self.text)
      try #require(await stage.server.journalBecomes { $0.last?.outcome != .pending })
      #expect(try stage.requests().last?["outcome"] == "not deliverable")
    }
  }

  @Test("is asked with a fault of phase before that needs its content, and the fault is undeliverable")
  func undeliverable() async throws {
    let (response, entry, calls) = try await write(under: #"{"fault":"corrupt"}"#, "before")
    #expect(calls == 1)
    #expect(response?.text == Self.text)
    #expect(entry["outcome"] == "not deliverable")
  }

  @Test("is asked once for two writes with one idempotency key, and never for HEAD of a GET that acts")
  func keys() async throws {
    try await withStage { stage in
      let backend = CannedBackend()
      _ = await stage.server.ask { loop in loop.application.state.sandboxes[nil]?.source = backend }
      let keyed = wire("POST", "/book", "Idempotency-Key: k", body: "{\"name\":\"Ljerka\"}")
      for _ in 1...2 { #expect(try exchange(stage.server, keyed).text == Self.text) }
      #expect(backend.count.withLock { $0 } == 1)
      _ = try exchange(stage.server, wire("HEAD", "/book?name=Ljerka"))
      #expect(backend.count.withLock { $0 } == 1)
    }
  }

  @Test("loses a reply, and the report card finds the client that ignores it")
  func report() async throws {
    let rule = #"{"name":"r","match":{"method":["POST"]},"phase":"after","effect":{"fault":"reset"}}"#
    try await withStage(rule) { stage in
      let backend = CannedBackend()
      _ = await stage.server.ask { loop in loop.application.state.sandboxes[nil]?.source = backend }
      _ = try? exchange(stage.server, Stage.write)
      let checks = try #require(try stage.json("/_mock/report?final=true&format=json")["checks"]?.array)
      let check = try #require(checks.first { $0["id"] == "lost-reply-followed-up" })
      #expect(check["verdict"] == "fail")
    }
  }
}

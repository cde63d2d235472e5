import JSON
import Platform
import Primitives
import Report
import Services
import Testing

@testable import Understudy

@Suite("A source of responses in place of the state's handlers")
struct ResponseSourceTests {
  /// A backend that responds to every request alike, counts them, and stores the last head.
  private final class CannedBackend: ResponseSource, Sendable {
    let count = Locked(0)
    let head = Locked("")
    /// The questions that wait for their answers; nil if each is answered at once.
    let open: Locked<[Question]?>
    let left = Locked([Int]())

    init(holdsAnswers: Bool = false) { open = Locked(holdsAnswers ? [] : nil) }

    func ask(_ question: Question, by loop: any Loop) {
      count.withLock { $0 += 1 }
      head.withLock { $0 = String(decoding: question.head, as: UTF8.self) }
      let isHeld = open.withLock { open in
        open?.append(question)
        return open != nil
      }
      if !isHeld { answer(question, by: loop) }
    }

    func clientLeft(_ question: Int) { left.withLock { $0.append(question) } }

    /// Answers the questions that wait.
    func answerAll(by loop: any Loop) {
      for question in open.withLock({ $0.take() }) ?? [] { answer(question, by: loop) }
    }

    private func answer(_ question: Question, by loop: any Loop) {
      let response = Response(200, Representation(["from": "the backend"]), changed: !question.content.isEmpty)
      loop.answer(question.id, with: response)
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

  @Test("answers for a client that has left, and until then it is unknown whether the write was applied")
  func late() async throws {
    try await withStage { stage in
      let backend = CannedBackend(holdsAnswers: true)
      _ = await stage.server.ask { loop in loop.application.state.sandboxes[nil]?.source = backend }
      let client = try WireConnection(stage.server.port)
      try client.send(Stage.write)
      try #require(await stage.server.journalBecomes { $0.last?.outcome == .pending })
      client.reset()
      try #require(await stage.server.journalBecomes { $0.last?.outcome == .peerGone })
      #expect(try stage.requests().last?["applied"] == .null)
      #expect(backend.left.withLock { $0.count } == 1)
      _ = await stage.server.ask { loop in backend.answerAll(by: loop.services) }
      try #require(await stage.server.journalBecomes { $0.last?.isApplied == true })
      let entry = try #require(try stage.requests().last)
      #expect(entry["applied"] == true && entry["outcome"]?.string == ExchangeOutcome.peerGone.word)
      #expect(backend.count.withLock { $0 } == 1)
    }
  }

  @Test("is not waited for after the drain, and a write that it never answered stays unknown")
  func neverAnswered() async throws {
    let backend = CannedBackend(holdsAnswers: true)
    let virtual = try VirtualLoop()
    virtual.application.state.sandboxes[nil]?.source = backend
    let client = try WireConnection(virtual.port)
    try client.send(Stage.write)
    #expect(virtual.turn { virtual.lastEntry?.outcome == .pending })
    client.reset()
    #expect(virtual.turn { virtual.lastEntry?.outcome == .peerGone })
    virtual.loop.stop { _ in }
    let isDone = virtual.loop.isDone
    #expect(!isDone)
    #expect(virtual.turn(within: .seconds(60)) { virtual.loop.isDone })
    #expect(virtual.lastEntry?.isEffectUnknown == true && virtual.lastEntry?.isApplied == false)
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

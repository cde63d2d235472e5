import HTTP1
import JSON
import LiveTesting
import Platform
import Primitives
import Report
import Services
import Testing

@testable import Understudy

@Suite("A respondent in place of the connections to a backend", .live)
struct RespondentTests {
  /// A respondent that answers every question alike, and counts them.
  private final class CannedBackend: Respondent, Sendable {
    let count = Locked(0)
    /// The questions that wait for their answers; nil if each is answered at once.
    let open: Locked<[Question]?>
    let left = Locked([Int]())

    init(holdsAnswers: Bool = false) { open = Locked(holdsAnswers ? [] : nil) }

    func ask(_ question: Question, by loop: any Loop) {
      count.withLock { $0 += 1 }
      let isRetained = open.withLock { open in
        open?.append(question)
        return open != nil
      }
      if !isRetained { answer(question, by: loop) }
    }

    func clientLeft(_ question: Int) { left.withLock { $0.append(question) } }

    /// Answers the questions that wait.
    func answerAll(by loop: any Loop) {
      for question in open.withLock({ $0.take() }) ?? [] { answer(question, by: loop) }
    }

    private func answer(_ question: Question, by loop: any Loop) {
      let isWrite = question.forwarding?.isWrite == true
      loop.answer(question.id, with: Response(200, Representation(["from": "the backend"]), changed: isWrite))
    }
  }

  private static let text = #"{"from":"the backend"}"#

  /// Runs a test with a server whose questions a canned backend answers.
  private func withStage(
    _ rules: String..., before backend: CannedBackend, body: (Stage) async throws -> Void
  ) async throws {
    try await Stage.inFrontOf("http://127.0.0.1:9") { stage in
      _ = await stage.server.ask { loop in loop.application.upstream?.respondent = backend }
      if !rules.isEmpty { try stage.arm(rules) }
      try await body(stage)
    }
  }

  @Test("answers reads and writes, and a write that it applied is recorded as applied")
  func responds() async throws {
    let backend = CannedBackend()
    try await withStage(before: backend) { stage in
      let written = try exchange(stage.server, Stage.write)
      #expect(written.text == Self.text)
      #expect(try exchange(stage.server, wire("GET", "/devices")).text == Self.text)
      #expect(backend.count.withLock { $0 } == 2)
      #expect(try stage.requests().first?["applied"] == true)
      let checks = try #require(try stage.json("/_mock/report?final=true&format=json")["checks"]?.array)
      #expect(checks.filter { $0["verdict"] == "fail" } == [])
    }
  }

  @Test("that answers at once lets no time pass")
  func answersAtOnce() throws {
    let address = try BaseURL("http://127.0.0.1:9")
    let virtual = try VirtualLoop(upstream: (Upstream.Configuration(address: address), UpstreamResolver(address)))
    virtual.application.upstream?.respondent = CannedBackend()
    #expect(try virtual.ask(Stage.write).text == Self.text)
    #expect(virtual.lastEntry?.total == .zero)
  }

  @Test("is asked once with a fault of phase before that needs its content, and the fault is undeliverable")
  func undeliverable() async throws {
    let backend = CannedBackend()
    let rule = #"{"name":"r","match":{"changes":true},"phase":"before","effect":{"fault":"corrupt"}}"#
    try await withStage(rule, before: backend) { stage in
      let response = try exchange(stage.server, Stage.write)
      #expect(response.text == Self.text)
      #expect(backend.count.withLock { $0 } == 1)
      #expect(try await stage.lastEnded()["outcome"] == "not deliverable")
    }
  }

  @Test("is asked for each of two writes with one idempotency key, which is its own to keep")
  func keys() async throws {
    let backend = CannedBackend()
    try await withStage(before: backend) { stage in
      let keyed = wire("POST", "/book", "Idempotency-Key: k", body: "{\"name\":\"Ljerka\"}")
      let responses = try (1...2).map { _ in try exchange(stage.server, keyed).text }
      #expect(responses == [Self.text, Self.text])
      #expect(backend.count.withLock { $0 } == 2)
    }
  }

  @Test("gets a write whose precondition it alone can evaluate")
  func preconditions() async throws {
    let backend = CannedBackend()
    try await withStage(before: backend) { stage in
      let request = wire("POST", "/book", "If-Match: \"theirs\"", body: #"{"name":"Ljerka"}"#)
      let response = try exchange(stage.server, request)
      #expect(response.text == Self.text)
      #expect(backend.count.withLock { $0 } == 1)
    }
  }

  @Test("answers for a client that has left, and until then it is unknown whether the write was applied")
  func late() async throws {
    let backend = CannedBackend(holdsAnswers: true)
    try await withStage(before: backend) { stage in
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
    let address = try BaseURL("http://127.0.0.1:9")
    let virtual = try VirtualLoop(upstream: (Upstream.Configuration(address: address), UpstreamResolver(address)))
    virtual.application.upstream?.respondent = CannedBackend(holdsAnswers: true)
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
}

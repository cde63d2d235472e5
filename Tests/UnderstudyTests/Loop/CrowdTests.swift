import Faults
import HTTP1
import LiveTesting
import Primitives
import Testing

@testable import Report
@testable import Understudy

/// Many connections for which something happens at the same time: one turn continues some of them, so that no turn is
/// long, and later turns the others.
@Suite("Many connections that continue together", .live)
struct CrowdTests {
  private static let count = 200
  private static let inTurn = EventLoop.maximumContinued

  /// Returns clients of which each has sent a write that changes the state.
  private func writers(of loop: VirtualLoop) throws -> [WireConnection] {
    try (0..<Self.count).map { number in
      let client = try WireConnection(loop.port)
      let date = "2023-07-01T08:0\(number / 60):\(10 + number % 50)Z"
      try client.send(wire("PATCH", "/devices/WWM-0001-12", body: "{\"installationDate\":\"\(date)\"}"))
      return client
    }
  }

  private func answered(_ loop: VirtualLoop) -> Int {
    loop.connections.count {
      $0.connection.http.state.requests == 1 && !$0.connection.hasExchange
    }
  }

  private func switchNetwork(_ loop: VirtualLoop, _ body: String) throws {
    #expect(try loop.ask(wire("PATCH", "/_mock/network", body: body)).status == 200)
  }

  @Test("delays that end at the same time")
  func delays() throws {
    let loop = try VirtualLoop(#"{"effect":{"latency":"100ms"}}"#)
    let clients = try loop.clients(Self.count, sending: wire("GET", "/users/1"))
    #expect(loop.turn { loop.connections.count { $0.connection.wakeUp != nil } == Self.count })
    loop.pass(.milliseconds(100))
    let due = loop.now
    loop.turn()
    let first = answered(loop)
    #expect(first >= EventLoop.maximumContinued && first <= 2 * EventLoop.maximumContinued)
    #expect(loop.turn { clients.allSatisfy { !$0.available().isEmpty } })
    #expect(loop.now == due)
  }

  @Test("timeouts")
  func timeouts() throws {
    let loop = try VirtualLoop()
    let clients = try loop.clients(Self.count, sending: "GET /users/1 HT")
    let all = MonotonicInstant(nanoseconds: loop.now.nanoseconds + 20_000_000_000)
    #expect(loop.turn { loop.connections.count { $0.connection.http.timeout <= all } == Self.count })
    loop.pass(.seconds(20))
    let due = loop.now
    loop.turn()
    #expect(answered(loop) == EventLoop.maximumContinued)
    #expect(loop.turn { clients.allSatisfy { !$0.available().isEmpty } })
    #expect(loop.now == due)
  }

  @Test("responses that the network switch releases")
  func released() throws {
    let loop = try VirtualLoop(#"{"effect":{"latency":"100ms"}}"#)
    let clients = try loop.clients(Self.count, sending: wire("GET", "/users/1"))
    #expect(loop.turn { loop.connections.count { $0.connection.wakeUp != nil } == Self.count })
    try switchNetwork(loop, #"{"state":"held"}"#)
    loop.pass(.milliseconds(100))
    #expect(loop.turn { loop.connections.count { $0.connection.isSilent } == Self.count })
    try switchNetwork(loop, #"{"state":"online"}"#)
    let began = loop.now
    #expect((1...2 * Self.inTurn).contains(answered(loop)))
    #expect(loop.turn { answered(loop) >= Self.count })
    #expect(loop.turn { clients.allSatisfy { !$0.available().isEmpty } })
    #expect(loop.now == began)
  }

  @Test("connections that an outage resets, which do nothing from its beginning on")
  func reset() throws {
    let loop = try VirtualLoop(#"{"match":{"method":["POST"]},"effect":{"latency":"100ms"}}"#)
    let delayed = try loop.clients(Self.count, sending: wire("POST", "/users", body: "{\"name\":\"A\"}"))
    #expect(loop.turn { loop.connections.count { $0.connection.wakeUp != nil } == Self.count })
    let quick = try (1...10).map { _ in
      let client = try WireConnection(loop.port)
      try client.send(wire("GET", "/users/1"))
      #expect(try loop.response(to: client).status == 200)
      return client
    }
    let control = try WireConnection(loop.port)
    try control.send(wire("GET", "/_mock/health"))
    #expect(try loop.response(to: control).status == 200)
    // These are answered in the turn in which the outage begins.
    for client in quick { try client.send(wire("GET", "/users/2")) }
    // The switch is online again before a connection ends.
    try control.send(
      wire("PATCH", "/_mock/network", body: #"{"state":"offline"}"#)
        + wire("PATCH", "/_mock/network", body: #"{"state":"online"}"#))
    #expect(loop.turn { loop.connections.count < Self.count })
    #expect(loop.connections.count > Self.count / 2)
    loop.pass(.milliseconds(100))
    for client in delayed.suffix(10) { try client.send(wire("GET", "/users/3")) }
    func exchanges() -> [Entry] { loop.journal.entries(after: 0, limit: 500).filter { $0.api != nil } }
    #expect(loop.turn { loop.connections.count == 1 && exchanges().allSatisfy { $0.outcome != .pending } })
    let entries = exchanges()
    let writes = entries.filter { $0.method == .post }
    #expect(writes.count == Self.count && entries.count == Self.count + 2 * quick.count)
    #expect(writes.allSatisfy { $0.outcome == .reset && $0.response == nil && !$0.marks.contains(.applied) })
    // The sockets of those that sent something since are closed later, a limited number in each turn.
    for _ in 0...Self.count / Self.inTurn { loop.turn() }
    for client in delayed + quick {
      let (text, end) = client.rest()
      #expect(text.isEmpty && end == .reset)
    }
  }

  @Test("idle connections that an outage resets, without a wait")
  func idle() throws {
    let loop = try VirtualLoop()
    let clients = try loop.clients(Self.count, sending: wire("GET", "/users/1"))
    #expect(loop.turn { clients.allSatisfy { !$0.available().isEmpty } })
    let began = loop.now
    try switchNetwork(loop, #"{"state":"offline"}"#)
    #expect(loop.turn { loop.connections.count <= 1 })
    #expect(loop.now == began)
  }

  @Test("writes whose commit has ended when an outage begins, and which are not answered any more")
  func committedInOutage() throws {
    let loop = try VirtualLoop(disk: MemoryDisk(seed: 4))
    let clients = try writers(of: loop)
    #expect(loop.turn { answered(loop) > 0 })
    #expect(answered(loop) < Self.count)
    let sandbox = try #require(loop.application.state.sandboxes[nil])
    try loop.application.state.switchNetwork(of: sandbox, to: .offline(.reset))
    #expect(loop.turn { loop.connections.isEmpty })
    let entries = loop.journal.entries(after: 0, limit: 500).filter { $0.api != nil }
    #expect(entries.contains { $0.outcome == .reset && $0.response == nil && $0.marks.contains(.applied) })
    for client in clients { client.hangUp() }
  }

  @Test("writes of one commit")
  func committed() throws {
    let loop = try VirtualLoop(disk: MemoryDisk(seed: 3))
    let clients = try writers(of: loop)
    var most = 0
    var before = 0
    let areAllAnswered = loop.turn {
      let now = answered(loop)
      (most, before) = (max(most, now - before), now)
      return now == Self.count
    }
    #expect(areAllAnswered)
    #expect(most <= Self.inTurn)
    for client in clients { client.hangUp() }
  }
}

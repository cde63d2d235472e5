import Contract
import Faults
import HTTP1
import LiveTesting
import Primitives
import Testing

@testable import Report
@testable import Understudy

@Suite("The event loop in virtual time", .live)
struct VirtualTimeTests {
  private static let offline = #"{"when":{"from":"1700ms","until":"2s"},"effect":{"offline":true}}"#

  @Test("a delay ends exactly after its duration", arguments: ["before", "after"])
  func delays(phase: String) throws {
    let loop = try VirtualLoop(#"{"match":{"method":["POST"]},"phase":"\#(phase)","effect":{"latency":"123ms"}}"#)
    for _ in 1...3 {
      #expect(try loop.ask(Stage.write).status == 200)
      #expect(loop.lastEntry?.measured == .milliseconds(123))
      #expect(loop.lastEntry?.total == .milliseconds(123))
    }
  }

  @Test("overlapping delays each end after their duration, in the order of their ends")
  func overlappingDelays() throws {
    let loop = try VirtualLoop()
    let clients = try [90, 10, 400, 20, 700].map { delay in
      let client = try WireConnection(loop.port)
      try client.send(wire("GET", "/users/1", "Prefer: delay=\(delay)ms"))
      return client
    }
    #expect(loop.turn { clients.allSatisfy { !$0.available().isEmpty } })
    let entries = loop.journal.entries(after: 0, limit: 10)
    #expect(entries.map(\.measured.duration) == [10, 20, 90, 400, 700].map { Duration.milliseconds($0) })
  }

  @Test("a stream has its first event at once, although nothing else happens")
  func beginsStreamsAtOnce() throws {
    let loop = try VirtualLoop()
    let client = try WireConnection(loop.port)
    try client.send(wire("GET", "/rooms/stream"))
    let start = loop.now
    #expect(loop.turn { String(decoding: client.available(), as: UTF8.self).contains("data: ") })
    #expect(loop.now == start)
  }

  @Test("a paced response takes as long as its number of bytes requires")
  func pace() throws {
    let loop = try VirtualLoop(#"{"match":{"path":"/users/1"},"effect":{"pace":{"bytesPerSecond":1000,"chunk":100}}}"#)
    #expect(try loop.ask(wire("GET", "/users/1")).status == 200)
    let bytes = try #require(loop.lastEntry?.response).bytes
    let total = try #require(loop.lastEntry?.total.duration)
    #expect(bytes > 400 && total >= .milliseconds(bytes) && total < .milliseconds(bytes + 2_000))
  }

  @Test("a pace continues at its position after a silence")
  func paceBehindSilence() throws {
    let match = #""match":{"path":"/users"}"#
    let loop = try VirtualLoop(
      "{\(match),\"effect\":{\"pace\":{\"bytesPerSecond\":1000,\"chunk\":100}}}",
      "{\(match),\"effect\":{\"fault\":\"stall\",\"at\":\"1/2\",\"for\":\"10s\"}}")
    #expect(try loop.ask(wire("GET", "/users")).status == 200)
    let bytes = try #require(loop.lastEntry?.response).bytes
    let total = try #require(loop.lastEntry?.total.duration)
    #expect(bytes > 4_000 && total >= .seconds(10) + .milliseconds(bytes))
    #expect(total < .seconds(12) + .milliseconds(bytes))
  }

  @Test("a scheduled outage resets idle connections in time, even soon after the scenario was armed")
  func outage() throws {
    for (from, until) in [("100ms", "150ms"), ("1700ms", "2s")] {
      let loop = try VirtualLoop(#"{"when":{"from":"\#(from)","until":"\#(until)"},"effect":{"offline":true}}"#)
      let armed = try #require(loop.application.state.sandboxes[nil]).state.scenarioState.since
      let kept = try WireConnection(loop.port)
      try kept.send(wire("GET", "/users/1"))
      #expect(try loop.response(to: kept).status == 200)
      #expect(loop.turn { !loop.connections.contains { $0.connection.sandbox != nil } })
      #expect(loop.application.realTime - armed == (from == "100ms" ? .milliseconds(100) : .milliseconds(1_700)))
      #expect(kept.rest().end == .reset)
    }
  }

  @Test("advancing the clock into an outage resets idle connections at once", arguments: [true, false])
  func advanceIntoOutage(isFrozen: Bool) throws {
    let loop = try VirtualLoop(Self.offline)
    let kept = try WireConnection(loop.port)
    try kept.send(wire("GET", "/users/1"))
    #expect(try loop.response(to: kept).status == 200)
    let patch = "{\"frozen\":\(isFrozen),\"advance\":\"1800ms\"}"
    #expect(try loop.ask(wire("PATCH", "/_mock/clock", body: patch)).status == 200)
    #expect(loop.turn(within: .milliseconds(100)) { !loop.connections.contains { $0.connection.sandbox != nil } })
  }

  @Test("a replay during an outage gets the outage, not the plan of the interrupted request")
  func replayInOutage() throws {
    let loop = try VirtualLoop(Self.offline, #"{"match":{"path":"/users/2"},"effect":{"latency":"1h"}}"#)
    let used = try WireConnection(loop.port)
    try used.send(wire("GET", "/users/1"))
    #expect(try loop.response(to: used).status == 200)
    try used.send(wire("GET", "/users/2"))
    #expect(loop.turn { loop.lastEntry?.outcome == .reset })
    #expect(loop.lastEntry?.plan?.ending == nil, "it was planned before the outage")
    let replay = try WireConnection(loop.port)
    try replay.send(wire("GET", "/users/2"))
    #expect(loop.turn(within: .milliseconds(200)) { loop.lastEntry?.replayOf != nil })
    #expect(loop.turn { loop.lastEntry?.outcome == .reset })
    #expect(loop.lastEntry?.plan?.ending == .offline)
  }

  @Test("a stream of the journal sends a keep-alive comment after every fifteen seconds of silence")
  func heartbeat() throws {
    let loop = try VirtualLoop()
    let client = try WireConnection(loop.port)
    try client.send(wire("GET", "/_mock/journal/stream"))
    let began = loop.now
    #expect(try loop.response(to: client).status == 200)
    for beat in 1...2 {
      let text = String(repeating: "3\r\n:\n\n\r\n", count: beat)
      #expect(loop.turn(within: .seconds(17)) { String(decoding: client.available(), as: UTF8.self) == text })
      #expect(loop.now - began >= .seconds(15 * beat))
    }
  }

  @Test(
    "each timeout of a connection ends it after its duration",
    arguments: [
      ("", Duration.seconds(75), ""), ("GET /users/1 HT", .seconds(20), "HTTP/1.1 408"),
      (String(wire("POST", "/users", body: "{}").dropLast()), .seconds(30), "HTTP/1.1 408"),
    ])
  func timeOuts(sent: String, lapse: Duration, answer: String) throws {
    let loop = try VirtualLoop()
    let client = try WireConnection(loop.port)
    try client.send(sent)
    #expect(loop.turn { loop.connections.count == 1 })
    loop.turn()
    let began = loop.now
    #expect(loop.turn { loop.connections.first?.connection.http.state.phase == .lingering })
    #expect((lapse - .seconds(1)...lapse).contains(loop.now - began))
    #expect(loop.turn { loop.connections.isEmpty })
    #expect(loop.now - began <= lapse + .seconds(5), "it lingers no longer than its timeout")
    guard case .finished(let text) = client.end() else { throw WireConnection.Failure(description: "no FIN") }
    #expect(answer.isEmpty ? text.isEmpty : text.hasPrefix(answer))
  }

  @Test("a backend without an answer is given up exactly after its timeout")
  func backendTimeout() throws {
    let silent = try BoundListener()
    var configuration = Upstream.Configuration(address: try BaseURL("http://127.0.0.1:\(silent.port)"))
    configuration.timeout = .milliseconds(123)
    let loop = try VirtualLoop(upstream: (configuration, UpstreamResolver(configuration.address)))
    let answer = try withExtendedLifetime(silent) { try loop.ask(wire("GET", "/orders")) }
    #expect(answer.status == 504)
    #expect(loop.lastEntry?.total == .milliseconds(123))
  }

  @Test("a drain ends after its timeout, even if exchanges do not end")
  func drain() throws {
    let loop = try VirtualLoop(#"{"match":{"path":"/users/1"},"effect":{"latency":"1h"}}"#)
    let clients = try ["GET /users/1 HT", wire("GET", "/users/1")].map { text in
      let client = try WireConnection(loop.port)
      try client.send(text)
      return client
    }
    #expect(loop.turn { loop.connections.count == 2 && loop.journal.count == 2 })
    let began = loop.now
    loop.loop.stop { _ in }
    #expect(loop.turn(within: .seconds(6)) { loop.loop.isDone })
    #expect(loop.now - began == .seconds(5))
    #expect(clients.allSatisfy { $0.end() != .silence })
  }

  @Test("a server that stops answers every request that has arrived, however many connections are not accepted yet")
  func pendingConnections() throws {
    let loop = try VirtualLoop()
    let clients = try loop.clients(100, sending: wire("GET", "/users/1"))
    loop.loop.stop { _ in }
    #expect(loop.turn(within: .seconds(6)) { loop.loop.isDone })
    for client in clients { #expect(try client.response().status == 200) }
  }

  @Test("delays for peers that have left do not accumulate timers")
  func goneSleepers() throws {
    let loop = try VirtualLoop(#"{"match":{"path":"/users/1"},"effect":{"latency":"1h"}}"#)
    for _ in 1...15 {
      let clients = try loop.clients(100, sending: wire("GET", "/users/1"))
      #expect(loop.turn { loop.connections.count { $0.connection.wakeUp != nil } == clients.count })
      for client in clients { client.reset() }
      #expect(loop.turn { loop.connections.isEmpty })
    }
    let end = loop.now + .seconds(1)
    #expect(loop.turn { loop.now >= end })
    #expect(loop.loop.connections.wakeUps.count < 1_100)
    #expect(loop.lastEntry?.outcome == .peerGone)
  }

  @Test("Date changes every second")
  func date() throws {
    let loop = try VirtualLoop()
    let first = try #require(try loop.ask(wire())["Date"])
    loop.pass(.seconds(1))
    let second = try #require(try loop.ask(wire())["Date"])
    loop.pass(.seconds(86_400))
    let third = try #require(try loop.ask(wire())["Date"])
    #expect(first < second && first.prefix(5) != third.prefix(5))
  }

  @Test("a delay ends in time, although thousands of other clients have left during theirs")
  func delayAmongMany() throws {
    let loop = try VirtualLoop()
    let waiting = try WireConnection(loop.port)
    try waiting.send(wire("GET", "/users/1", "Prefer: delay=30s"))
    #expect(loop.turn { loop.journal.count == 1 })
    // Each leaves a wake-up behind; the loop removes them when there are too many.
    for round in 1...20 {
      let clients = try loop.clients(100, sending: wire("GET", "/users/2", "Prefer: delay=100s"))
      #expect(loop.turn { loop.journal.lastID == round * clients.count + 1 })
      for client in clients { client.reset() }
      #expect(loop.turn { loop.connections.count == 1 })
    }
    #expect(loop.turn(within: .seconds(31)) { !waiting.available().isEmpty })
    #expect(loop.journal.entry(1)?.measured.duration == .seconds(30))
  }
}

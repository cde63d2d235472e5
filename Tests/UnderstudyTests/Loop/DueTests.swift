import Contract
import HTTP1
import LiveTesting
import Services
import Testing

@testable import Primitives
@testable import Report
@testable import Understudy

/// Exchanges whose delays end at the same time: their responses are sent first, and their records follow.
@Suite("Exchanges whose time has come", .live)
struct DueTests {
  private static let count = 200
  private static let inTurn = EventLoop.maximumContinued
  private static let delayed = wire("GET", "/users/1", "Prefer: delay=100ms")

  /// Returns clients whose responses are due.
  private func clients(of loop: VirtualLoop) throws -> [WireConnection] {
    let clients = try loop.clients(Self.count, sending: Self.delayed)
    #expect(loop.turn { loop.connections.count { $0.connection.wakeUp != nil } >= Self.count })
    loop.pass(.milliseconds(100))
    return clients
  }

  /// Makes another response due at the same time as those to the requests that are sent next.
  private func companion(of loop: VirtualLoop) throws -> WireConnection {
    let client = try WireConnection(loop.port)
    try client.send(Self.delayed)
    #expect(loop.turn { loop.connections.contains { $0.connection.wakeUp != nil } })
    return client
  }

  private func outcomes(_ loop: VirtualLoop) -> [ExchangeOutcome] {
    loop.journal.entries(after: 0, limit: .max).map(\.outcome)
  }

  /// Runs turns until only those are left that no longer fit into one; returns the number of the others.
  private func resumeMost(_ loop: VirtualLoop) -> Int {
    let turns = Self.count / Self.inTurn
    for _ in 1...turns { loop.turn() }
    return turns * Self.inTurn
  }

  @Test("are answered before the first of them gets its record")
  func responsesFirst() throws {
    let loop = try VirtualLoop()
    let clients = try clients(of: loop)
    let answered = resumeMost(loop)
    #expect(loop.arrives { clients.count { !$0.available().isEmpty } >= answered })
    #expect(outcomes(loop).allSatisfy { $0 == .pending })
    for client in clients { client.hangUp() }
  }

  @Test("are continued until the turn has used its time, at least one in each turn, and the others in the next turns")
  func boundByTime() throws {
    let loop = try VirtualLoop()
    let clients = try clients(of: loop)
    loop.passWithEachReading(.milliseconds(1))
    var waiting = Self.count
    for _ in 0..<Self.count where waiting > 0 {
      loop.turn()
      let left = loop.connections.count { $0.connection.wakeUp != nil }
      #expect(waiting - left <= 4, "each takes a millisecond at least")
      waiting = left
    }
    #expect(waiting == 0)
    loop.passWithEachReading(.zero)
    for client in clients { #expect(try loop.response(to: client).status == 200) }
  }

  @Test("get their records when no other response is due, some in each turn, without a wait")
  func recordsAfterResponses() throws {
    let loop = try VirtualLoop()
    let clients = try clients(of: loop)
    _ = resumeMost(loop)
    loop.turn()
    #expect(outcomes(loop).contains(.pending) && outcomes(loop).contains(.sent), "the records of a turn are limited")
    // A batch to judge would also keep the loop from waiting.
    while loop.application.state.hasUnjudgedBatch { loop.application.state.judgeBatch() }
    #expect(loop.turn() == .zero)
    #expect(outcomes(loop) == Array(repeating: .sent, count: Self.count))
    for client in clients { client.hangUp() }
  }

  @Test("have ended when their responses were released, and not when they got their records")
  func endTimes() throws {
    let loop = try VirtualLoop()
    let clients = try clients(of: loop)
    let punctual = resumeMost(loop)
    loop.pass(.milliseconds(5))
    #expect(loop.turn { !outcomes(loop).contains(.pending) })
    let entries = loop.journal.entries(after: 0, limit: .max)
    #expect(entries.count { $0.total == .milliseconds(100) } == punctual)
    for client in clients { client.hangUp() }
  }

  @Test("have their own field lines in their records")
  func fieldLines() throws {
    let loop = try VirtualLoop()
    let clients = try clients(of: loop)
    #expect(loop.turn { !outcomes(loop).contains(.pending) })
    for entry in loop.journal.entries(after: 0, limit: .max) {
      let fields = try #require(entry.response.flatMap { loop.journal.text($0.fields) })
      #expect(String(decoding: fields, as: UTF8.self).contains("Understudy-Request: \(entry.id)\r\n"))
    }
    for client in clients { client.hangUp() }
  }

  @Test(
    "leave their connections the whole idle time, also if they came in two parts",
    arguments: [
      ["GET /users/1 HT", "TP/1.1\r\nHost: localhost\r\nPrefer: delay=100ms\r\n\r\n"],
      [
        "POST /users HTTP/1.1\r\nHost: localhost\r\nPrefer: delay=100ms\r\nContent-Type: application/json\r\n"
          + "Content-Length: 12\r\n\r\n", "{\"name\":\"A\"}",
      ],
    ])
  func idleTime(parts: [String]) throws {
    let loop = try VirtualLoop()
    let client = try WireConnection(loop.port)
    try client.send(parts[0])
    #expect(loop.turn { loop.connections.contains { !$0.connection.isIdle } })
    let companion = try companion(of: loop)
    try client.send(parts[1])
    #expect(loop.turn { outcomes(loop) == [.sent, .sent] })
    let timeouts = loop.connections.map { $0.connection.http.timeout }
    #expect(timeouts == Array(repeating: loop.now + Timeouts().idle, count: 2))
    companion.hangUp()
  }

  @Test("have their records before another request is read")
  func recordsBeforeRequests() throws {
    let loop = try VirtualLoop()
    let other = try WireConnection(loop.port)
    #expect(loop.turn { loop.connections.count == 1 })
    let entry = try #require(loop.connections.first)
    let clients = try clients(of: loop)
    for _ in 1...2 { loop.turn() }
    #expect(!outcomes(loop).contains(.sent))
    try other.send(wire("GET", "/_mock/health"))
    loop.turn()
    #expect(entry.connection.http.state.requests == 0 && outcomes(loop).contains(.pending))
    #expect(outcomes(loop).contains(.sent), "the request does not wait until nothing is due")
    #expect(loop.turn { entry.connection.http.state.requests == 1 })
    #expect(!outcomes(loop).contains(.pending))
    for client in clients { client.hangUp() }
  }

  @Test("have their records before the loop does other work")
  func recordsBeforeOtherWork() throws {
    let loop = try VirtualLoop()
    let clients = try clients(of: loop)
    loop.turn()
    let entry = try #require(loop.connections.first { !$0.connection.hasExchange || $0.connection.awaitsRecord })
    loop.loop.awake.resting = [entry.token]
    loop.turn()
    #expect(loop.loop.awake.resting == [entry.token] && outcomes(loop).contains(.pending))
    #expect(loop.turn { loop.loop.awake.resting.isEmpty })
    #expect(!outcomes(loop).contains(.pending))
    for client in clients { client.hangUp() }
  }

  @Test("have their records when maintenance is late, though others are due")
  func recordsBeforeMaintenance() throws {
    let loop = try VirtualLoop()
    let clients = try clients(of: loop)
    loop.loop.time.nextMaintenance = MonotonicInstant(nanoseconds: loop.now.nanoseconds - 500_000_000)
    loop.turn()
    let recorded = outcomes(loop).count { $0 == .sent }
    #expect((1..<Self.count).contains(recorded))
    #expect(loop.arrives { clients.count { !$0.available().isEmpty } == recorded }, "each response has its record")
    #expect(loop.loop.time.nextMaintenance > loop.now)
    for client in clients { client.hangUp() }
  }

  @Test("come before maintenance that has become due only now")
  func recordsAfterMaintenanceIsDue() throws {
    let loop = try VirtualLoop()
    let clients = try clients(of: loop)
    loop.loop.time.nextMaintenance = loop.now
    loop.turn()
    #expect(!outcomes(loop).contains(.sent))
    for client in clients { client.hangUp() }
  }

  @Test("do not come before maintenance that is due if a schedule takes a sandbox offline")
  func outageInTime() throws {
    let loop = try VirtualLoop(#"{"when":{"from":"1h","until":"2h"},"effect":{"offline":true}}"#)
    #expect(loop.turn { loop.application.state.untilOutage != nil })
    let clients = try clients(of: loop)
    loop.loop.time.nextMaintenance = loop.now
    loop.turn()
    #expect(loop.loop.time.nextMaintenance > loop.now)
    for client in clients { client.hangUp() }
  }

  @Test("are answered and recorded before a server that stops is done")
  func recordsBeforeTheEnd() throws {
    let loop = try VirtualLoop()
    let clients = try clients(of: loop)
    for client in clients { client.finishWriting() }
    loop.loop.stop { _ in }
    while loop.loop.turn() { loop.pass(.milliseconds(1)) }
    #expect(loop.journal.lastID == Self.count && !outcomes(loop).contains(.pending))
  }

  @Test("have their records before a request that waited behind one of them is answered")
  func recordsBeforePipelined() throws {
    let loop = try VirtualLoop()
    let reader = try WireConnection(loop.port)
    try reader.send(Self.delayed + wire("GET", "/_mock/journal?limit=1000"))
    let clients = try clients(of: loop)
    _ = try loop.response(to: reader)
    let journal = try loop.response(to: reader).text
    #expect(journal.ranges(of: "\"outcome\":\"sent\"").count == Self.count + 1)
    for client in clients { client.hangUp() }
  }

  @Test("are followed by the requests that their connection received before")
  func pipelined() throws {
    let loop = try VirtualLoop()
    let companion = try companion(of: loop)
    let client = try WireConnection(loop.port)
    try client.send(Self.delayed + wire("GET", "/users/2") + Self.delayed)
    #expect(loop.turn { loop.journal.lastID == 4 && !outcomes(loop).contains(.pending) })
    for _ in 1...3 { #expect(try loop.response(to: client).status == 200) }
    companion.hangUp()
  }

  @Test("are recorded if their connection ends with them")
  func closing() throws {
    let loop = try VirtualLoop()
    let companion = try companion(of: loop)
    let client = try WireConnection(loop.port)
    try client.send(wire("GET", "/users/1", "Prefer: delay=100ms", "Connection: close"))
    #expect(try loop.response(to: client).status == 200)
    client.hangUp()
    companion.hangUp()
    #expect(loop.turn { loop.connections.isEmpty })
    #expect(outcomes(loop) == [.sent, .sent])
  }

  @Test(
    "are recorded as unsent if their connection breaks, before the record and after it",
    arguments: [false, true], [(false, false), (false, true), (true, false), (true, true)])
  func breaking(isSent: Bool, _ end: (isRecorded: Bool, isReset: Bool)) throws {
    let application = Application(seeds: try SeedData.embedded())
    let held = HeldConnection(peer: "peer", port: Labels(), application: application, timeouts: Timeouts())
    let sandbox = try #require(application.state.sandboxes[nil])
    held.receive(Array(Self.delayed.utf8)[...])
    held.connection.resume(at: application.now, defersRecord: true)
    #expect(held.connection.awaitsRecord && sandbox.traffic.journal.entry(1)?.outcome == .pending)
    held.didSend(held.output.pending - (isSent ? 0 : 1))
    if end.isRecorded { held.connection.completeRecord(at: application.now) }
    if end.isReset { held.reset() } else { held.disconnect() }
    #expect(sandbox.traffic.journal.entry(1)?.outcome == (isSent ? .sent : .peerGone) && !held.connection.awaitsRecord)
  }
}

import Contract
import HTTP1
import LiveTesting
import Services
import Testing

@testable import Primitives
@testable import Report
@testable import Understudy

/// Exchanges whose delays end at the same time.
@Suite("Exchanges whose time has come", .live)
struct DueTests {
  private static let count = 200
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

  @Test("have their own field lines in their entries")
  func fieldLines() throws {
    let loop = try VirtualLoop()
    let clients = try clients(of: loop)
    #expect(loop.turn { !outcomes(loop).contains(.pending) })
    for entry in loop.journal.entries(after: 0, limit: .max) {
      let fields = entry.texts.responseFields
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

  @Test("do not keep a schedule from taking a sandbox offline in time")
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
    "are recorded as unsent if their connection breaks before all of the response is sent",
    arguments: [false, true], [false, true])
  func breaking(isSent: Bool, isReset: Bool) throws {
    let application = Application(seeds: try SeedData.embedded())
    let held = HeldConnection(peer: "peer", port: Labels(), application: application, timeouts: Timeouts())
    let sandbox = try #require(application.state.sandboxes[nil])
    held.receive(Array(Self.delayed.utf8)[...])
    held.connection.resume(at: application.now)
    held.didSend(held.output.pending - (isSent ? 0 : 1))
    if isReset { held.reset() } else { held.disconnect() }
    #expect(sandbox.traffic.journal.entry(1)?.outcome == (isSent ? .sent : .peerGone))
  }
}

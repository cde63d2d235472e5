import Contract
import HTTP1
import LiveTesting
import Primitives
import Testing

@testable import Report
@testable import Understudy

@Suite("Contents that many peers send together", .live)
struct TurnReadingTests {
  @Test("a peer that sends little does not wait for a crowd that sends much")
  func readsShortFirst() throws {
    let loop = try VirtualLoop()
    let little = try WireConnection(loop.port)
    let body = String(repeating: " ", count: 250_000) + "{}"
    let much = try loop.clients(40, sending: wire("PATCH", "/devices/WWM-0001-12", body: body))
    loop.passWithEachReading(.milliseconds(1))
    #expect(loop.turn { loop.connections.count { $0.requestBytes > 0 } == much.count })
    try little.send(wire("GET", "/_mock/health"))
    var turns = 0
    while little.available().isEmpty, turns < 1_000 {
      turns += 1
      loop.turn()
    }
    #expect(turns < 5, "each turn reads from two connections of the crowd")
    #expect(try little.response().status == 200)
    loop.passWithEachReading(.zero)
    for client in much { #expect(try loop.response(to: client).status == 200) }
  }

  @Test("peers whose bytes fill a read, and which pause then, are read on when they go on")
  func pauseAfterFullRead() throws {
    let loop = try VirtualLoop()
    let request = wire("PATCH", "/devices/WWM-0001-12", body: String(repeating: " ", count: 100_000) + "{}")
    let filling = request.index(request.startIndex, offsetBy: 64 << 10)
    let clients = try loop.clients(4, sending: String(request[..<filling]))
    // Not all of them are read on in the turn in which they filled a read.
    loop.passWithEachReading(.milliseconds(1))
    #expect(loop.turn { loop.connections.count { $0.requestBytes > 60_000 } == clients.count })
    for _ in 0..<10 { loop.turn() }
    loop.passWithEachReading(.zero)
    for client in clients {
      try client.send(String(request[filling...]))
      #expect(try loop.response(to: client).status == 200)
    }
  }

  @Test("bytes beyond those of one turn are read in the next ones, from all connections alike")
  func readsInTurns() throws {
    let loop = try VirtualLoop()
    let body = String(repeating: " ", count: 90_000) + "{}"
    let clients = try loop.clients(90, sending: wire("PATCH", "/devices/WWM-0001-12", body: body))
    var most = 0
    #expect(
      loop.turn {
        most = max(most, TurnBudget.maximumBytes - loop.application.budget.receivableBytes)
        return loop.connections.count == 90 && loop.connections.allSatisfy { $0.connection.http.state.requests == 1 }
      })
    #expect(most > 1 << 20 && most <= TurnBudget.maximumBytes + 64 << 10)
    for client in clients { #expect(try loop.response(to: client).status == 200) }
  }

  @Test("contents that take too much memory in total are refused, the longest ones first")
  func boundsContents() throws {
    let loop = try VirtualLoop()
    loop.loop.connections.maximumRequestBytes = 600_000
    // Of each of them 64 KiB are read in a turn.
    let sizes = [100_000, 110_000, 120_000, 400_000, 20_000]
    let clients = try sizes.map { size in
      let client = try WireConnection(loop.port)
      try client.send(
        wire("PATCH", "/devices/WWM-0001-12", "Content-Length: \(size == 20_000 ? 100_000 : 500_000)")
          + String(repeating: " ", count: size))
      return client
    }
    let refusal = try loop.response(to: clients[3])
    #expect(refusal.status == 503 && refusal["Retry-After"] == "1" && refusal.text.contains("too-much-content"))
    #expect(350_000...600_000 ~= loop.loop.connections.requestBytes)
    #expect([0, 1, 2, 4].allSatisfy { clients[$0].available().isEmpty }, "the others are still arriving")
    try clients[4].send(String(repeating: " ", count: 79_998) + "{}")
    #expect(try loop.response(to: clients[4]).status == 200)
    for client in clients { client.reset() }
    #expect(loop.turn { loop.loop.connections.requestBytes == 0 && loop.connections.isEmpty })
  }

  /// Sends writes with contents of these sizes, one after another, and returns their clients when each has its exchange.
  private func clients(of loop: VirtualLoop, sending sizes: [Int], _ field: String) throws -> [WireConnection] {
    var clients: [WireConnection] = []
    for size in sizes {
      clients.append(try WireConnection(loop.port))
      let body = String(repeating: " ", count: size - 2) + "{}"
      try clients[clients.count - 1].send(wire("PATCH", "/devices/WWM-0001-12", field, body: body))
      #expect(
        loop.turn {
          loop.connections.count == clients.count && loop.connections.allSatisfy { $0.connection.hasExchange }
        })
    }
    return clients
  }

  @Test("requests that wait for a delay count against the memory of all, and the longest is refused")
  func boundsDelayedContents() throws {
    let loop = try VirtualLoop()
    loop.loop.connections.maximumRequestBytes = 600_000
    let clients = try clients(of: loop, sending: [100_000, 120_000, 90_000, 110_000, 95_000], "Prefer: delay=20s")
    #expect(loop.turn { 515_000...520_000 ~= loop.loop.connections.requestBytes })
    let began = loop.now
    let last = try WireConnection(loop.port)
    try last.send(
      wire("PATCH", "/devices/WWM-0001-12", "Prefer: delay=20s", body: String(repeating: " ", count: 89_998) + "{}"))
    let refusal = try loop.response(to: clients[1])
    #expect(refusal.status == 503 && refusal["Retry-After"] == "1" && refusal.text.contains("too-much-content"))
    #expect(loop.now - began < .seconds(15) && loop.journal.entry(2)?.status == 503)
    #expect([0, 2, 3, 4].allSatisfy { clients[$0].available().isEmpty } && last.available().isEmpty)
    #expect(loop.loop.connections.requestBytes < 600_000)
    #expect(loop.turn(within: .seconds(60)) { loop.loop.connections.requestBytes == 0 })
    for index in [0, 2, 3, 4] { #expect(try loop.response(to: clients[index]).status == 200) }
    for client in clients + [last] { client.reset() }
  }

  @Test("a request that was performed and waits is not refused for its length, because that would be untrue, but reset")
  func boundsPerformedContents() throws {
    let loop = try VirtualLoop()
    let sandbox = try #require(loop.application.state.sandboxes[nil])
    try loop.application.state.switchNetwork(of: sandbox, to: .held)
    loop.loop.connections.maximumRequestBytes = 300_000
    let clients = try clients(of: loop, sending: [100_000, 120_000], "X-Test: 1")
    #expect(loop.turn { loop.connections.count { $0.connection.isHeldByNetwork } == 2 })
    let longest = loop.journal.lastID
    let last = try WireConnection(loop.port)
    try last.send(
      wire("PATCH", "/devices/WWM-0001-12", "Prefer: delay=1h", body: String(repeating: " ", count: 89_998) + "{}"))
    #expect(loop.turn { loop.journal.entry(longest)?.outcome == .reset })
    #expect(loop.journal.entry(longest - 1)?.outcome == .pending)
    for client in clients + [last] { client.reset() }
  }

  @Test("at the limit, as many requests are refused as leave room for some time")
  func leavesRoom() throws {
    let loop = try VirtualLoop()
    let clients = try clients(of: loop, sending: Array(repeating: 50_000, count: 32), "Prefer: delay=1h")
    loop.loop.connections.maximumRequestBytes = 1_600_000
    loop.turn()
    #expect(loop.turn(within: .seconds(1)) { loop.loop.connections.requestBytes <= 1_500_000 })
    #expect(clients.count { !$0.available().isEmpty } == 3)
    for client in clients { client.reset() }
  }
}

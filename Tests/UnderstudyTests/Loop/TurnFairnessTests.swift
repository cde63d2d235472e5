import Contract
import HTTP1
import LiveTesting
import Primitives
import Report
import Testing

@testable import Understudy

@Suite("Turns of a busy loop", .live)
struct TurnFairnessTests {
  private static let request = wire("HEAD", "/users/1")

  private func clients(_ count: Int, of loop: VirtualLoop, requests: Int) throws -> [WireConnection] {
    try (0..<count).map { _ in
      let client = try WireConnection(loop.port)
      try client.send(String(repeating: Self.request, count: requests))
      return client
    }
  }

  @Test("requests that are deferred to the next turn are not delayed")
  func noSleep() throws {
    let loop = try VirtualLoop()
    let clients = try clients(1, of: loop, requests: 200)
    #expect(loop.turn { loop.connections.contains { $0.connection.http.isDeferred } })
    let began = loop.now
    #expect(loop.turn { loop.connections.first?.connection.http.state.requests == 200 })
    #expect(loop.now == began)
    #expect(loop.turn { loop.connections.allSatisfy { $0.connection.http.output.pending == 0 } })
    for _ in 0..<200 { #expect(try clients[0].response(toHead: true).status == 200) }
  }

  @Test("a request that is read after deferred ones were answered has not come before their ends")
  func arrivalAfterDeferredRequests() throws {
    let loop = try VirtualLoop()
    let next = try WireConnection(loop.port)
    #expect(loop.turn { loop.connections.count == 1 })
    let greedy = try clients(1, of: loop, requests: 400)
    #expect(loop.turn { loop.connections.contains { $0.connection.http.isDeferred } })
    try next.send(wire("GET", "/users/2"))
    loop.passWithEachReading(.milliseconds(1))
    var entries: [ExchangeRecord] = []
    #expect(
      loop.turn {
        entries = loop.journal.entries(after: 0, limit: 500)
        return entries.contains { $0.method == .get }
      })
    let read = try #require(entries.first { $0.method == .get })
    let before = entries.filter { $0.id < read.id && $0.outcome == .sent }
    #expect(before.count > TurnBudget.maximumRequestsOfConnection)
    #expect(before.allSatisfy { $0.arrival + $0.total.duration <= read.arrival })
    for client in greedy { client.hangUp() }
  }

  @Test("connections are served in turn, and all of them in the end")
  func takeTurns() throws {
    let loop = try VirtualLoop()
    let clients = try clients(6, of: loop, requests: 320)
    #expect(
      loop.turn { loop.connections.count == 6 && loop.connections.allSatisfy { $0.connection.http.state.requests > 0 } }
    )
    var greatestLead = 0
    let areAllServed = loop.turn {
      let counts = loop.connections.map { $0.connection.http.state.requests }
      greatestLead = max(greatestLead, (counts.max() ?? 0) - (counts.min() ?? 0))
      return counts.allSatisfy { $0 == 320 }
    }
    #expect(areAllServed)
    #expect(greatestLead <= 2 * TurnBudget.maximumRequestsOfConnection)
    #expect(clients.allSatisfy { !$0.available().isEmpty })
  }

  @Test("a turn sends a limited number of bytes, and later turns the rest")
  func bytes() throws {
    let loop = try VirtualLoop()
    let clients = try clients(48, of: loop, requests: 1)
    #expect(
      loop.turn {
        loop.connections.count == 48 && loop.connections.allSatisfy { $0.connection.http.state.requests == 1 }
      })
    #expect(loop.turn { loop.connections.allSatisfy { $0.connection.http.output.pending == 0 } })
    for entry in loop.loop.connections.all {
      entry.connection.http.output.bytes += [UInt8](repeating: 0x20, count: 1 << 20)
      entry.connection.http.output.releaseAll()
      loop.loop.markDirty(entry)
    }
    loop.turn()
    let left = loop.connections.reduce(0) { $0 + $1.connection.http.output.pending }
    #expect(48 << 20 - left <= EventLoop.maximumBytes + 256 << 10)
    #expect(left < 48 << 20)
    for client in clients { client.hangUp() }
  }
}

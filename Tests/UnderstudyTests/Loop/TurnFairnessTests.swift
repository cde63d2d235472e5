import Contract
import HTTP1
import LiveTesting
import Primitives
import Testing

@testable import Report
@testable import Understudy

@Suite("Turns of a busy loop", .live)
struct TurnFairnessTests {
  private static let request = wire("HEAD", "/users/1")

  private static func requests(_ count: Int) -> String { String(repeating: request, count: count) }

  @Test("requests that are deferred to the next turn are not delayed")
  func noSleep() throws {
    let loop = try VirtualLoop()
    let clients = try loop.clients(1, sending: Self.requests(200))
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
    let greedy = try loop.clients(1, sending: Self.requests(400))
    #expect(loop.turn { loop.connections.contains { $0.connection.http.isDeferred } })
    try next.send(wire("GET", "/users/2"))
    loop.passWithEachReading(.microseconds(10))
    var entries: [Entry] = []
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

  @Test("a turn that has used its time begins nothing more, and the next one continues where it stopped")
  func endsInTime() throws {
    let loop = try VirtualLoop()
    let clients = try loop.clients(20, sending: Self.requests(2))
    #expect(loop.turn { loop.connections.count == clients.count })
    loop.passWithEachReading(.milliseconds(1))
    var (turns, begun) = (0, 0)
    while begun < 40, turns < 1_000 {
      turns += 1
      loop.turn()
      let last = loop.journal.lastID
      #expect(last - begun <= 2, "each request takes a millisecond at least")
      begun = last
    }
    #expect(begun == 40)
    loop.passWithEachReading(.zero)
    for client in clients {
      for _ in 0..<2 {
        #expect(loop.turn { !client.available().isEmpty })
        #expect(try client.response(toHead: true).status == 200)
      }
    }
  }

  @Test("idle connections rest over several turns, and those that wait for a response afterwards")
  func rest() throws {
    let loop = try VirtualLoop(#"{"match":{"path":"/devices"},"effect":{"latency":"900ms"}}"#)
    let delayed = try WireConnection(loop.port)
    try delayed.send(wire("GET", "/devices"))
    let clients = try loop.clients(100, sending: Self.request)
    func resting() -> Int { loop.connections.count { $0.connection.http.output.bytes.capacity == 0 } }
    #expect(loop.turn { loop.connections.count { $0.connection.http.state.requests == 1 } == 101 })
    let began = loop.now
    #expect(loop.turn { resting() > 90 })
    #expect(loop.now - began <= .seconds(1))
    _ = try loop.response(to: delayed)
    #expect(loop.turn(within: .seconds(2)) { resting() == 101 })
    for client in clients { client.hangUp() }
  }

  @Test("all responses that are due at the same time are sent, also if they are too many to be sent together")
  func dueTogether() throws {
    let loop = try VirtualLoop(#"{"effect":{"latency":"100ms"}}"#)
    let clients = try loop.clients(50, sending: Self.request)
    #expect(loop.turn { loop.connections.count { $0.connection.wakeUp != nil } == 50 })
    let due = loop.now + .milliseconds(100)
    #expect(loop.turn { clients.allSatisfy { !$0.available().isEmpty } })
    #expect(loop.now == due)
  }

  @Test("connections are served in turn, and all of them in the end")
  func takeTurns() throws {
    let loop = try VirtualLoop()
    let clients = try loop.clients(6, sending: Self.requests(320))
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
    let clients = try loop.clients(48, sending: Self.request)
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
    #expect(48 << 20 - left <= TurnBudget.maximumBytes + 256 << 10)
    #expect(left < 48 << 20)
    for client in clients { client.hangUp() }
  }
}

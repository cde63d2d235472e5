import Contract
import Foundation
import JSON
import Testing

@testable import Understudy

/// The bound of one turn of the loop, counted in pieces of work: no clock decides these tests.
@Suite("A turn of the loop")
struct TurnTests {
  private static let seeds: Result<SeedData, any Error> = Result { try SeedData.embedded() }

  private func backend() throws -> Backend { Backend(seeds: try Self.seeds.get()) }

  private func connection(_ backend: Backend) -> Connection {
    Connection(peer: "peer", port: Labels(), backend: backend, timeouts: Timeouts())
  }

  private func statusLines(_ connection: Connection) -> Int {
    String(decoding: connection.output.bytes, as: UTF8.self).components(separatedBy: "HTTP/1.1 200 OK").count - 1
  }

  @Test("is measured: the longest one is a metric, and each is counted")
  func metric() async throws {
    try await withServer { server in
      _ = try exchange(server, wire("GET", "/devices"))
      let page = try exchange(server, wire("GET", "/_mock/metrics")).text
      func value(_ name: String) -> Double? {
        page.split(separator: "\n").first { $0.hasPrefix(name + " ") }?.split(separator: " ").last.flatMap {
          Double($0)
        }
      }
      let longest = try #require(value("understudy_longest_turn_seconds"))
      #expect(longest > 0)
      #expect(try #require(value("understudy_turn_seconds_count")) >= 2)
      #expect(try #require(value("understudy_turn_seconds_sum")) >= longest)
    }
  }

  @Test("begins a limited number of requests, and the next turn continues with the others, in their order")
  func requestsPerTurn() throws {
    let backend = try backend()
    let connection = connection(backend)
    backend.budget.beginTurn(requests: 10, ofConnection: 100)
    connection.receive(Array(String(repeating: wire("GET", "/users/1"), count: 25).utf8)[...])
    #expect(statusLines(connection) == 10)
    #expect(connection.isDeferred && !connection.wantsToRead)
    for expected in [20, 25] {
      backend.budget.beginTurn(requests: 10, ofConnection: 100)
      connection.advanceDeferred()
      #expect(statusLines(connection) == expected)
    }
    #expect(!connection.isDeferred && connection.wantsToRead)
  }

  @Test("begins a limited number of requests of one connection, and leaves the rest of the limit to others")
  func requestsOfConnection() throws {
    let backend = try backend()
    let (greedy, modest) = (connection(backend), connection(backend))
    backend.budget.beginTurn(requests: 10, ofConnection: 6)
    greedy.receive(Array(String(repeating: wire("GET", "/users/1"), count: 25).utf8)[...])
    modest.receive(Array(wire("GET", "/users/1").utf8)[...])
    #expect(statusLines(greedy) == 6 && greedy.isDeferred)
    #expect(statusLines(modest) == 1 && !modest.isDeferred)
    // Responses that are sent in the same turn do not make room for more.
    greedy.didSend(greedy.output.pending)
    #expect(greedy.output.pending == 0 && greedy.isDeferred)
    backend.budget.beginTurn(requests: 10, ofConnection: 6)
    greedy.advanceDeferred()
    #expect(statusLines(greedy) == 6)
  }

  @Test("a connection that never stops asking keeps none waiting", arguments: PollerKind.allCases)
  func fairness(poller: PollerKind) async throws {
    try await withServer(poller) { server in
      let greedy = try WireConnection(server.port)
      try greedy.send(String(repeating: wire("HEAD", "/users/1"), count: 1_500))
      #expect(try exchange(server, wire("GET", "/_mock/health")).status == 200)
      let turns = await server.ask { $0.backend.budget.turn } ?? 0
      for _ in 0..<1_500 { _ = try greedy.response(toHead: true) }
      let after = await server.ask { $0.backend.budget.turn } ?? 0
      #expect(after >= 1_500 / TurnBudget.maximumRequestsOfConnection)
      #expect(turns <= after)
    }
  }

  @Test(
    "gives the readers of journals a limited number of entries together, and each reader gets all of them in the end")
  func streamsPerTurn() throws {
    let backend = try backend()
    let filler = connection(backend)
    for _ in 0..<400 {
      filler.receive(Array(wire("HEAD", "/users/1").utf8)[...])
      filler.didSend(filler.output.pending)
    }
    let journal = try #require(backend.sandboxes[nil]).journal
    var readers = (0..<20).map { _ in JournalFollower(sandbox: "default", seq: 0) }
    var told = [Int](repeating: 0, count: readers.count)
    var turns = 0
    while readers.contains(where: { $0.seq < journal.lastSeq }), turns < 1_000 {
      turns += 1
      var budget = JournalFollower.Budget()
      for index in readers.indices {
        let events = String(decoding: readers[index].events(from: journal, within: &budget), as: UTF8.self)
        told[index] += events.components(separatedBy: "\ndata: ").count - 1
      }
      #expect(budget.writtenEntries <= 48)
    }
    #expect(readers.allSatisfy { $0.seq == journal.lastSeq })
    #expect(told.allSatisfy { $0 == 400 })
    #expect(turns >= 20 * 400 / 48)
  }

  @Test("maintains a limited number of sandboxes, and a round visits each of them once")
  func sandboxesPerTurn() throws {
    let backend = try backend()
    for number in 1...1_000 {
      var order = Sandbox.Order()
      order.name = "s\(number)"
      if number % 3 == 0 { order.timeToLive = .seconds(1) }
      backend.add(Sandbox(order, seeds: backend.seeds, at: backend.realTime, tick: MonotonicInstant(nanoseconds: 0)))
    }
    var visited: [String] = []
    for _ in 0..<10 { visited += backend.sandboxes.nextOfRound(atMost: 101).map(\.name) }
    #expect(visited.count == 1_001 && Set(visited).count == 1_001 && backend.sandboxes.isRoundBeginning)
    let late = MonotonicInstant(nanoseconds: 5_000_000_000)
    var calls = 1
    while !backend.runMaintenance(at: late, atMost: 100) { calls += 1 }
    #expect((7...12).contains(calls))
    while backend.sandboxes.count > 668 { _ = backend.runMaintenance(at: late, atMost: 100) }
    #expect(!backend.sandboxes.all.contains { $0.timeToLive != nil })
  }

  @Test("has a long body sent in pieces of the bytes that are kept, and everything behind it afterwards")
  func longBody() throws {
    let backend = try backend()
    let connection = connection(backend)
    let text = String(repeating: "x", count: 400_000)
    let sandbox = try #require(backend.sandboxes[nil])
    try sandbox.merge(
      ["devices": [["id": "A", "type": "heating", "meterPointDescription": .string(text), "installationDate": nil]]],
      at: Instant(seconds: 0))
    connection.receive(Array((wire("GET", "/devices") + wire("GET", "/users/1")).utf8)[...])
    #expect(connection.output.bytes.count < 2_000, "the body is not copied behind the head")
    var received: [UInt8] = []
    var pieces = 0
    while connection.output.pending > 0 {
      let (bytes, range) = connection.output.next(atMost: 64 << 10)
      received += bytes[range]
      connection.didSend(range.count)
      pieces += 1
    }
    #expect(pieces >= 8)
    let all = String(decoding: received, as: UTF8.self)
    #expect(all.components(separatedBy: "HTTP/1.1 200 OK").count == 3)
    #expect(all.contains(text + "\"") && all.hasSuffix("}"))
  }
}

import Contract
import Foundation
import HTTP1
import JSON
import LiveTesting
import Services
import Testing

@testable import Faults
@testable import Primitives
@testable import Understudy

/// The clock of the application stands still, so that only the counts bound a turn.
@Suite("A turn of the loop")
struct TurnTests {
  private static let seeds: Result<SeedData, any Error> = Result { try SeedData.embedded() }

  private func application() throws -> Application {
    Application(
      seeds: try Self.seeds.get(),
      clocks: Clocks(tick: { MonotonicInstant(nanoseconds: 0) }, instant: { Instant(seconds: 1_700_000_000) }))
  }

  private func connection(_ application: Application) -> HeldConnection {
    HeldConnection(peer: "peer", port: Labels(), application: application, timeouts: Timeouts())
  }

  private func statusLines(_ connection: HeldConnection) -> Int {
    String(decoding: connection.output.bytes, as: UTF8.self).components(separatedBy: "HTTP/1.1 200 OK").count - 1
  }

  @Test("is counted and measured, and the longest one is a metric")
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
    let application = try application()
    let connection = connection(application)
    application.budget.beginTurn(at: application.tick, requests: 10, ofConnection: 100)
    connection.receive(Array(String(repeating: wire("GET", "/users/1"), count: 25).utf8)[...])
    #expect(statusLines(connection) == 10)
    #expect(connection.isDeferred && !connection.wantsToRead)
    for expected in [20, 25] {
      application.budget.beginTurn(at: application.tick, requests: 10, ofConnection: 100)
      connection.advanceDeferred()
      #expect(statusLines(connection) == expected)
    }
    #expect(!connection.isDeferred && connection.wantsToRead)
  }

  @Test("begins a limited number of requests of one connection, and leaves the rest of the limit to others")
  func requestsOfConnection() throws {
    let application = try application()
    let (greedy, modest) = (connection(application), connection(application))
    application.budget.beginTurn(at: application.tick, requests: 10, ofConnection: 6)
    greedy.receive(Array(String(repeating: wire("GET", "/users/1"), count: 25).utf8)[...])
    modest.receive(Array(wire("GET", "/users/1").utf8)[...])
    #expect(statusLines(greedy) == 6 && greedy.isDeferred)
    #expect(statusLines(modest) == 1 && !modest.isDeferred)
    // Responses that are sent in the same turn do not make room for more.
    greedy.didSend(greedy.output.pending)
    #expect(greedy.output.pending == 0 && greedy.isDeferred)
    application.budget.beginTurn(at: application.tick, requests: 10, ofConnection: 6)
    greedy.advanceDeferred()
    #expect(statusLines(greedy) == 6)
  }

  @Test(
    "sends a limited number of entries to all readers of journals together, and each reader gets all of them in the end"
  )
  func streamsPerTurn() throws {
    let application = try application()
    let filler = connection(application)
    for _ in 0..<160 {
      filler.receive(Array(wire("HEAD", "/users/1").utf8)[...])
      filler.didSend(filler.output.pending)
    }
    let journal = try #require(application.state.sandboxes[nil]).traffic.journal
    var readers = (0..<10).map { _ in JournalFollower(seq: 0) }
    var told = [Int](repeating: 0, count: readers.count)
    var turns = 0
    while readers.contains(where: { $0.seq < journal.lastSeq }), turns < 1_000 {
      turns += 1
      var budget = JournalFollower.Budget()
      var written = 0
      for index in readers.indices {
        let events = String(decoding: readers[index].events(from: journal, within: &budget), as: UTF8.self)
        let count = events.components(separatedBy: "\ndata: ").count - 1
        told[index] += count
        written += count
      }
      #expect(written <= 48)
    }
    #expect(readers.allSatisfy { $0.seq == journal.lastSeq })
    #expect(told.allSatisfy { $0 == 160 })
    #expect(turns >= 10 * 160 / 48)
  }

  @Test("sends the list of a thousand rooms to one stream in a turn, and to all of them in the end")
  func roomStreamsPerTurn() throws {
    let application = try application()
    let sandbox = try #require(application.state.sandboxes[nil])
    let rooms = (1...API.maximumBookingRooms).map { number -> JSONValue in
      ["name": .string("room \(number)"), "spots": 9]
    }
    try sandbox.merge(["booking": ["rooms": .array(rooms)]], at: Instant(seconds: 0))
    let readers = (0..<8).map { _ in connection(application) }
    for reader in readers { reader.receive(Array(wire("GET", "/rooms/stream").utf8)[...]) }
    /// Returns the number of readers that got an event.
    func turn() -> Int {
      var budget = JournalFollower.Budget()
      return readers.count { reader in
        reader.follow(within: &budget)
        let isSent = reader.output.bytes.count + reader.output.body.count > 48 << 10
        reader.didSend(reader.output.pending)
        return isSent
      }
    }
    while turn() > 0 {}
    let writer = connection(application)
    writer.receive(Array(wire("POST", "/book", body: #"{"name":"room 7"}"#).utf8)[...])
    #expect((0..<10).map { _ in turn() } == Array(repeating: 1, count: 8) + [0, 0])
  }

  @Test("deletes a limited number of expired sandboxes, and all of them in the end")
  func sandboxesPerTurn() throws {
    let application = try application()
    let store = Store(application.state.seeds, at: application.realTime)
    for number in 1..<Sandboxes.capacity {
      var configuration = Sandbox.Configuration()
      configuration.identity.name = "s\(number)"
      if number % 3 == 0 { configuration.identity.timeToLive = .seconds(1) }
      application.state.add(
        Sandbox(
          configuration, seeds: application.state.seeds, store: store, at: application.realTime,
          tick: MonotonicInstant(nanoseconds: 0)))
    }
    let late = MonotonicInstant(nanoseconds: 5_000_000_000)
    var counts = [application.state.sandboxes.count]
    while !application.state.runMaintenance(at: late) { counts.append(application.state.sandboxes.count) }
    #expect(counts.count > 1)
    #expect(zip(counts, counts.dropFirst()).allSatisfy { $0 - $1 == ServerState.maximumRemovals })
    #expect(application.state.sandboxes.count == 667)
    #expect(!application.state.sandboxes.all.contains { $0.identity.timeToLive != nil })
  }

  @Test("lets a limited number of rivals act, however many sandboxes have them, and all of them act in the end")
  func rivalsPerTurn() throws {
    let application = try application()
    let rule = Faults.Rule(effect: Effect(Rivals(every: .milliseconds(10), books: 100)))
    for number in 1...20 {
      var configuration = Sandbox.Configuration()
      configuration.identity.name = "s\(number)"
      configuration.scenario = Scenario(name: "rush", rules: [rule])
      let begin = Instant(nanoseconds: application.realTime.nanoseconds - 1_000_000_000)
      application.state.add(Sandbox(configuration, seeds: application.state.seeds, at: begin, tick: application.tick))
    }
    func actions() -> Int {
      application.state.sandboxes.all.reduce(0) { $0 + $1.traffic.journal.entries(after: 0, limit: 10_000).count }
    }
    var calls = 1
    var before = 0
    while !application.state.runMaintenance(at: application.tick) {
      calls += 1
      let now = actions()
      #expect(now - before <= ServerState.maximumRivals + Rivals.maximumAtOnce)
      before = now
    }
    #expect(calls >= 20)
    #expect(application.state.sandboxes.all.dropFirst().allSatisfy { $0.traffic.journal.lastSeq > 0 })
  }

  @Test("sends a long body in pieces without copying it, and later responses after it")
  func longBody() throws {
    let application = try application()
    let connection = connection(application)
    let text = String(repeating: "x", count: 400_000)
    let sandbox = try #require(application.state.sandboxes[nil])
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

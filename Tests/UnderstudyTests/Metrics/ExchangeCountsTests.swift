import Contract
import HTTP1
import Services
import Testing

@testable import Faults
@testable import Primitives
@testable import Report
@testable import Understudy

@Suite("The counts of exchanges")
struct ExchangeCountsTests {
  private static let user = wire("GET", "/users/2")
  private static let slow = wire("GET", "/users/2", "Prefer: delay=1s")

  private let disk = MemoryDisk(seed: 1)
  private let server: DurableServer

  init() throws { server = try DurableServer(on: disk) }

  /// The counts in the metrics, by API, operation and status.
  private var counts: [String: Int] {
    let application = server.application
    application.state.sandboxes.collectCounts()
    let tallies = application.state.sandboxes.counts.tallies.map { tally in
      let api = tally.api.map { application.router.apis[$0] }
      let operation = tally.operation.flatMap { api?.operations[$0].id }
      let status = tally.status.map { String($0) }
      return ("\(api?.name ?? "none") \(operation ?? "none") \(status ?? "none")", tally.count)
    }
    return Dictionary(uniqueKeysWithValues: tallies)
  }

  private func makeSandbox(_ members: String = "") {
    #expect(server.ask(wire("POST", "/_mock/sandboxes", body: "{\"name\":\"s\"\(members)}")).status == 201)
  }

  @Test("are exact while exchanges wait for an earlier slow one, and when they are judged")
  func waiting() throws {
    let sandbox = try #require(server.application.state.sandboxes[nil])
    let slow = server.connect(Self.slow)
    for number in 1...200 {
      server.ask(Self.user)
      #expect(number % 7 > 0 || counts["users getUser 200"] == number)
    }
    #expect(sandbox.traffic.exchangeLog.waitingCount == 200 && sandbox.traffic.checks.exchanges == 0)
    #expect(counts["users getUser 200"] == 200 && counts["users getUser 200"] == 200)
    #expect(sandbox.traffic.checks.exchanges == 0, "asking for metrics judges nothing")
    server.pass(seconds: 1)
    slow.resume()
    #expect(sandbox.traffic.checks.exchanges == 201 && counts["users getUser 200"] == 201)
  }

  @Test("are complete when thousands were judged before they are first asked for")
  func judged() throws {
    for _ in 0..<1_500 { server.ask(Self.user) }
    server.ask(wire("GET", "/users/none"))
    #expect(counts == ["users getUser 200": 1_500, "users getUser 404": 1])
  }

  @Test("have the requests of hundreds of sandboxes")
  func sandboxes() {
    for number in 0..<300 {
      #expect(server.ask(wire("POST", "/_mock/sandboxes", body: "{\"name\":\"s\(number)\"}")).status == 201)
    }
    for round in 1...3 {
      for number in 0..<300 { server.ask(wire("GET", "/@s\(number)/users/2")) }
      if round != 2 { #expect(counts["users getUser 200"] == round * 300) }
    }
  }

  @Test("have requests that no check reads: incomplete ones and OPTIONS, with their faults")
  func unjudged() throws {
    let rule = #"{"name":"x","rules":[{"match":{"method":["OPTIONS"]},"effect":{"status":503}}]}"#
    #expect(server.ask(wire("PUT", "/_mock/scenario", body: rule)).status == 200)
    server.ask(wire("OPTIONS", "/users/2"))
    server.ask(wire("GET", "/users/2", "X : y"))
    server.ask(wire("GET", "/nowhere", "X : y"))
    let found = counts
    #expect(found["users none 503"] == 1 && found["users getUser 400"] == 1 && found["none none 400"] == 1)
    #expect(
      server.application.state.sandboxes.counts.faultTallies == [.init(kind: Status.kind, phase: .before, count: 1)])
  }

  @Test("have requests to the control API and to unknown sandboxes, and those that name nothing")
  func unstored() throws {
    server.ask(wire("GET", "/_mock/clock"))
    server.ask(wire("GET", "/_mock/nothing"))
    server.ask(wire("GET", "/@unknown/users/2"))
    server.ask("nonsense\r\n\r\n")
    #expect(
      counts == [
        "control getClock 200": 1, "control none 404": 1, "users getUser 404": 1, "none none 400": 1,
      ])
    #expect(server.application.state.sandboxes[nil]?.traffic.journal.lastID == 0)
  }

  @Test(
    "outlive a reset that is stored or refused, and have each exchange once", arguments: [true, false], [true, false])
  func reset(isStored: Bool, isReadBetween: Bool) throws {
    let sandbox = try #require(server.application.state.sandboxes[nil])
    server.ask(Self.user)
    let slow = [server.connect(Self.slow), server.connect(Self.slow), server.connect(Self.slow)]
    server.ask(Self.user)
    try server.application.state.reset(sandbox)
    // It waits for the first slow one.
    slow[1].disconnect()
    let others = server.begin(Array(repeating: Self.user, count: 100))
    for connection in others { connection.disconnect() }
    if isReadBetween { #expect(counts["users getUser none"] == 101) }
    if !isStored { disk.action = { _ in .error(28) } }
    #expect(server.application.state.commit().isEmpty == isStored)
    disk.action = { _ in nil }
    slow[0].disconnect()
    slow[2].disconnect()
    #expect(counts == ["users getUser 200": 2, "users getUser none": 103])
    #expect(sandbox.traffic.checks.exchanges == (isStored ? 100 : 105))
    #expect(counts == ["users getUser 200": 2, "users getUser none": 103])
  }

  @Test("outlive the deletion of a sandbox, and have the exchanges that end after it", arguments: [true, false])
  func deletion(byExpiry: Bool) throws {
    makeSandbox(byExpiry ? #","ttl":"10s""# : "")
    for _ in 0..<100 { server.ask(wire("GET", "/@s/users/2")) }
    let slow = (0..<2).map { _ in server.connect(wire("GET", "/@s/users/2", "Prefer: delay=1s")) }
    server.ask(wire("GET", "/@s/users/2"))
    if byExpiry {
      server.pass(seconds: 100)
      server.runMaintenance()
    } else {
      #expect(server.ask(wire("DELETE", "/_mock/sandboxes/s")).status == 204)
      server.pass(seconds: 1)
    }
    #expect(server.application.state.sandboxes["s"] == nil && counts["users getUser 200"] == 101)
    // The second of them waits for the first.
    for (connection, count) in zip(slow.reversed(), [102, 103]) {
      connection.resume()
      #expect(counts["users getUser 200"] == count)
    }
  }

  @Test("are neither lost nor doubled by a deletion that the disk refuses")
  func refusedDeletion() throws {
    makeSandbox()
    let slow = server.connect(wire("GET", "/@s/users/2", "Prefer: delay=1s"))
    for _ in 0..<100 { server.ask(wire("GET", "/@s/users/2")) }
    disk.action = { _ in .error(28) }
    #expect(server.ask(wire("DELETE", "/_mock/sandboxes/s")).status == 507)
    disk.action = { _ in nil }
    server.runMaintenance()
    let sandbox = try #require(server.application.state.sandboxes["s"])
    #expect(counts["users getUser 200"] == 100)
    slow.resume()
    server.ask(wire("GET", "/@s/users/2"))
    #expect(counts["users getUser 200"] == 102 && sandbox.traffic.checks.exchanges == 102)
  }

  @Test("outlive the eviction of entries, also of exchanges that are under way")
  func eviction() throws {
    let sandbox = try #require(server.application.state.sandboxes[nil])
    let slow = server.connect(Self.slow)
    for _ in 0..<300 { server.ask(Self.user) }
    while sandbox.traffic.exchangeLog.journal.evict() {}
    #expect(!sandbox.traffic.journal.isRetained(1) && counts["users getUser 200"] == 300)
    server.pass(seconds: 1)
    slow.resume()
    #expect(counts["users getUser 200"] == 301)
    #expect(sandbox.traffic.checks.exchanges == 301 && counts["users getUser 200"] == 301)
  }
}

/// The counts as a value, without a server.
extension ExchangeCountsTests {
  @Test("do not depend on the order of records, nor on how they are split")
  func split() {
    var hash = SplitMix64(seed: 4)
    let plan = Plan(.ordinal(1), Fault(.ending(.offline), changes: false))
    let records: [Entry] = (0..<2_000).map { id in
      let api = Int.random(in: -1...2, using: &hash)
      var record = Entry(
        id: id, at: Instant(seconds: 0), method: .get, api: api < 0 ? nil : api,
        operation: Bool.random(using: &hash) ? nil : Int.random(in: 0...40, using: &hash), connection: 1, n: 1,
        replayOf: nil, isPlanned: id % 3 == 0, texts: Entry.Texts(event: []))
      if id % 3 == 0 {
        var details = Entry.Details()
        details.plan = plan
        record.details = details
      }
      record.status = [nil, 200, 404, 599].randomElement(using: &hash) ?? nil
      record.outcome = id % 5 == 0 ? .notDeliverable : .reset
      return record
    }
    func counts(_ records: [Entry]) -> ExchangeCounts {
      var counts = ExchangeCounts()
      for record in records { counts.count(record) }
      return counts
    }
    let whole = counts(records)
    var parts = ExchangeCounts()
    for records in [records[1_500...], records[..<700], [], records[700..<1_500]] {
      parts.add(counts(records.shuffled(using: &hash)))
    }
    parts.add(ExchangeCounts())
    #expect(!parts.isEmpty && whole.tallies == parts.tallies && whole.faultTallies == parts.faultTallies)
    #expect(whole.undeliverableFaults == parts.undeliverableFaults)
    #expect(whole.tallies.reduce(0) { $0 + $1.count } == 2_000)
    #expect(whole.faultTallies.map(\.count) == [533] && whole.undeliverableFaults == 134)
    for tally in whole.tallies {
      let same = records.count {
        $0.api == tally.api && Int($0.operationIndex) == tally.operation ?? -1 && $0.status == tally.status
      }
      #expect(tally.count == same)
    }
    let keys: [[Int]] = whole.tallies.map { [$0.api ?? 99, $0.operation ?? 99, $0.status ?? 0] }
    for (key, next) in zip(keys, keys.dropFirst()) { #expect(key.lexicographicallyPrecedes(next)) }
  }

  @Test("are empty until an exchange is counted")
  func empty() {
    var counts = ExchangeCounts()
    counts.add(ExchangeCounts())
    #expect(counts.isEmpty && counts.tallies.isEmpty && counts.faultTallies.isEmpty)
  }
}

import Contract
import Faults
import HTTP1
import JSON
import Testing

@testable import Understudy

/// The bounds of the page about limits that no other suite meets.
@Suite("Limits of what is kept")
struct KeptLimitTests {
  private static func stream(_ number: Int) -> Faults.RequestKey {
    Faults.RequestKey(api: "users", method: "GET", path: "/users/\(number)")
  }

  @Test("a snapshot too many is refused with 507, and the name of an old one can still be taken")
  func snapshots() throws {
    let server = try DurableServer(on: MemoryDisk(seed: 1))
    for number in 0..<Sandbox.snapshotCapacity {
      #expect(server.ask(wire("PUT", "/_mock/snapshots/s\(number)")).status == 201)
    }
    #expect(server.ask(wire("PUT", "/_mock/snapshots/more")).status == 507)
    #expect(server.ask(wire("PUT", "/_mock/snapshots/s7")).status == 200)
  }

  @Test("a sandbox too many is refused with 507, and one that is deleted makes room")
  func sandboxes() throws {
    let server = try DurableServer(on: MemoryDisk(seed: 1))
    let seeds = try server.backend.seeds.merging(["devices": [], "activities": [], "users": []])
    for number in 1..<Sandboxes.capacity {
      var order = Sandbox.Order()
      order.name = "s\(number)"
      server.backend.sandboxes.add(
        Sandbox(order, seeds: seeds, at: server.backend.realTime, tick: server.backend.tick))
    }
    let refused = server.ask(wire("POST", "/_mock/sandboxes", body: "{\"name\":\"more\"}"))
    #expect(refused.status == 507 && refused.text.contains("too-many-sandboxes"))
    _ = server.backend.sandboxes.remove("s1")
    #expect(server.ask(wire("POST", "/_mock/sandboxes", body: "{\"name\":\"more\"}")).status == 201)
  }

  @Test("a body is kept up to its limit in the journal, and handled whole")
  func journalBody() throws {
    let server = try DurableServer(on: MemoryDisk(seed: 1))
    let text = String(repeating: "x", count: Journal.maximumBodyBytes)
    let response = server.ask(
      wire("PATCH", "/devices/WWM-0001-12", body: "{\"meterPointDescription\":\"\(text)\"}"))
    #expect(response.status == 200)
    let journal = try #require(server.backend.sandboxes[nil]).journal
    #expect(journal.entry(journal.lastID)?.texts.body == Journal.maximumBodyBytes)
    #expect(server.ask(wire("GET", "/devices/WWM-0001-12")).text.contains(text))
  }

  @Test("of streams beyond the limit each request is the first, and those known are counted on")
  func streams() {
    var scenarioState = ScenarioState(.calm, seed: 1, at: Instant(seconds: 0))
    for number in 0..<ScenarioState.maximumStreams { #expect(scenarioState.count(Self.stream(number)) == 1) }
    #expect([1, 2, 3].map { _ in scenarioState.count(Self.stream(ScenarioState.maximumStreams)) } == [1, 1, 1])
    #expect(scenarioState.count(Self.stream(0)) == 2)
  }

  @Test("of paths that were taken apart no more than the limit are kept")
  func destinations() throws {
    var known = RouteCache()
    func request(_ number: Int) throws -> Request {
      var parser = RequestParser()
      parser.receive(Array(wire("GET", "/users/\(number)").utf8)[...])
      guard case .request(let request) = parser.next() else { throw WireConnection.Failure(description: "none") }
      return request
    }
    for number in 0...RouteCache.most {
      known.keep(.settled(.unknownPath("/users/\(number)"), api: nil), for: try request(number), api: nil)
      if number == RouteCache.most - 1 { #expect(known.find(try request(0), api: nil) != nil) }
    }
    #expect(known.find(try request(0), api: nil) == nil)
    #expect(known.find(try request(RouteCache.most), api: nil) != nil)
  }

  @Test("the longest text that a ring of bytes takes is kept whole, wherever it begins")
  func ring() {
    for offset in [0, 1, 4_000, 4_096, 5_000] {
      var ring = ByteRing(blockBytes: 4_096, maximumBytes: 4 * 4_096)
      ring.append([UInt8](repeating: 7, count: offset)[...])
      let text = (0..<ring.longest).map { UInt8(truncatingIfNeeded: $0) }
      let start = ring.end
      ring.append(text[...])
      #expect(ring.contains(start..<ring.end) && ring[start..<ring.end] == text, "\(offset)")
    }
  }

  @Test("the plans of entries that were pushed out are forgotten with them")
  func plans() {
    var journal = Journal()
    var plan = Plan(.ordinal(1))
    plan.delayBefore = .seconds(1)
    func fill(_ count: Int) -> Int {
      for _ in 0..<count {
        _ = journal.begin(.none, plan: plan, at: Instant(seconds: 0))
      }
      return journal.byteCount
    }
    let once = fill(Journal.maximumEntries * 2 + 1)
    #expect(fill(Journal.maximumEntries * 2) == once)
  }

  @Test("the plans of a journal that was reset, or gave up its older half, are forgotten")
  func plansOfReset() {
    var journal = Journal()
    var plan = Plan(.ordinal(1))
    plan.delayBefore = .seconds(1)
    let empty = journal.byteCount
    let id = journal.begin(.none, plan: plan, at: Instant(seconds: 0))
    journal.reset()
    #expect(journal.entry(id) == nil && journal.byteCount <= empty)
  }
}

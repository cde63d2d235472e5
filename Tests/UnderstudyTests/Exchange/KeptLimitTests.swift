import Contract
import HTTP1
import JSON
import Primitives
import Report
import Services
import Testing

@testable import Faults
@testable import Understudy

/// The limits of the page about limits that no other suite tests.
@Suite("Limits of the stored data")
struct KeptLimitTests {
  private static func stream(_ number: Int) -> Faults.RequestKey {
    Faults.RequestKey(api: "users", method: "GET", path: "/users/\(number)")
  }

  @Test("a snapshot over the limit is refused with 507, and an existing one can still be replaced")
  func snapshots() throws {
    let server = try DurableServer(on: MemoryDisk(seed: 1))
    for number in 0..<SandboxState.snapshotCapacity {
      #expect(server.ask(wire("PUT", "/_mock/snapshots/s\(number)")).status == 201)
    }
    #expect(server.ask(wire("PUT", "/_mock/snapshots/more")).status == 507)
    #expect(server.ask(wire("PUT", "/_mock/snapshots/s7")).status == 200)
  }

  @Test("a sandbox over the limit is refused with 507, and accepted after another was deleted")
  func sandboxes() throws {
    let server = try DurableServer(on: MemoryDisk(seed: 1))
    let seeds = server.application.state.seeds
    let store = Store(seeds, at: server.application.realTime)
    for number in 1...Sandboxes.capacity {
      var configuration = Sandbox.Configuration()
      configuration.identity.name = "s\(number)"
      server.application.state.sandboxes.add(
        Sandbox(
          configuration, seeds: seeds, store: store, at: server.application.realTime, tick: server.application.tick))
    }
    let refused = server.ask(wire("POST", "/_mock/sandboxes", body: "{\"name\":\"more\"}"))
    #expect(refused.status == 507 && refused.text.contains("too-many-sandboxes"))
    _ = server.application.state.sandboxes.remove("s1")
    #expect(server.ask(wire("POST", "/_mock/sandboxes", body: "{\"name\":\"more\"}")).status == 201)
  }

  @Test("the journal stores a body up to a limit, and the server handles all of it")
  func journalBody() throws {
    let server = try DurableServer(on: MemoryDisk(seed: 1))
    let text = String(repeating: "x", count: Journal.maximumBodyBytes)
    let response = server.ask(
      wire("PATCH", "/devices/WWM-0001-12", body: "{\"meterPointDescription\":\"\(text)\"}"))
    #expect(response.status == 200)
    let journal = try #require(server.application.state.sandboxes[nil]).traffic.journal
    #expect(journal.entry(journal.lastID).map { Int($0.texts.body.count) } == Journal.maximumBodyBytes)
    #expect(server.ask(wire("GET", "/devices/WWM-0001-12")).text.contains(text))
  }

  @Test("requests of streams over the limit all have ordinal 1, and the known streams are still counted")
  func streams() {
    let scenarioState = ScenarioState(.calm, seed: 1, at: Instant(seconds: 0))
    for number in 0..<ScenarioState.maximumStreams { #expect(scenarioState.count(Self.stream(number)) == 1) }
    #expect([1, 2, 3].map { _ in scenarioState.count(Self.stream(ScenarioState.maximumStreams)) } == [1, 1, 1])
    #expect(scenarioState.count(Self.stream(0)) == 2)
  }

  @Test("the route cache holds the newest route of each slot")
  func destinations() throws {
    let known = RouteCache()
    let numbers = 0..<3 * RouteCache.capacity
    func request(_ number: Int) throws -> Request { try parsed(wire("GET", "/users/\(number)")) }
    for number in numbers {
      let request = try request(number)
      known.store(.immediate(.unknownPath("/users"), api: nil), for: request, api: nil)
      let found = known.find(request, api: nil)
      #expect(found != nil)
    }
    let cached = try numbers.count { known.find(try request($0), api: nil) != nil }
    #expect((RouteCache.capacity / 2...RouteCache.capacity).contains(cached))
  }

  @Test("the plans of evicted journal entries are evicted with them")
  func plans() {
    var journal = Journal()
    let plan = Plan(.ordinal(1)).delayed(by: 1_000)
    func fill(_ count: Int) -> Int {
      for _ in 0..<count { journal.begin(.unknown, plan) }
      return journal.byteCount
    }
    let once = fill(Journal.maximumEntries * 2 + 1)
    #expect(fill(Journal.maximumEntries * 2) == once)
  }

  @Test("the plans of a journal are removed by a reset")
  func plansOfReset() {
    var journal = Journal()
    let plan = Plan(.ordinal(1)).delayed(by: 1_000)
    let empty = journal.byteCount
    let id = journal.begin(.unknown, plan)
    journal.hide()
    journal.discardHidden()
    #expect(journal.entry(id) == nil && journal.byteCount <= empty)
  }
}

import JSON
import LiveTesting
import Platform
import Report
import Services
import Testing

@testable import Primitives
@testable import Understudy

@Suite("Rollbacks of changes that could not be stored")
struct RollbackTests {
  private static func date(_ day: Int, prefer preference: String = "return=minimal") -> String {
    wire(
      "PATCH", "/devices/WWM-0001-12", "Prefer: \(preference)",
      body: "{\"installationDate\":\"2023-07-0\(day)T08:00:00Z\"}")
  }

  private static let book = wire("POST", "/book", body: "{\"name\":\"Ljerka\"}")

  @Test("the changes of a turn in several APIs are rolled back together, and the requests stay counted")
  func together() throws {
    let disk = MemoryDisk(seed: 1)
    let server = try DurableServer(on: disk)
    let before = server.image
    disk.action = { _ in .error(28) }
    let turn = [Self.date(1), Self.book, Self.date(2), wire("GET", "/kitchen/light/on"), Self.book]
    #expect(server.turn(turn).map(\.status) == [507, 507, 507, 507, 507])
    #expect(server.image == before)
    let sandbox = try #require(server.application.state.sandboxes[nil])
    #expect(sandbox.state.store.version == 0)
    #expect(sandbox.traffic.journal.entries(after: 0, limit: 10).sorted { $0.id < $1.id }.map(\.n) == [1, 1, 2, 1, 2])
    #expect(server.turn([Self.book]).map(\.status) == [507])
    #expect(sandbox.traffic.journal.entries(after: 0, limit: 10).last?.n == 3)
  }

  @Test("the next changes after a rollback are rolled back, too")
  func again() throws {
    let disk = MemoryDisk(seed: 2)
    let server = try DurableServer(on: disk)
    let before = server.image
    disk.action = { _ in .error(28) }
    let first = server.begin([Self.date(1)])
    let commit = try #require(server.application.state.beginCommit())
    let second = server.begin([Self.date(2)])
    let refused = server.application.state.endCommit(commit.run())
    for connection in first + second { connection.resolve(afterRefusing: refused) }
    #expect(server.responses(first + second).map(\.status) == [507, 507])
    #expect(server.ask(Self.date(3)).status == 507)
    #expect(server.image == before)
  }

  @Test("a change after one that its plan discarded is rolled back")
  func afterDiscarded() throws {
    let disk = MemoryDisk(seed: 3)
    let server = try DurableServer(on: disk)
    let before = server.image
    disk.action = { _ in .error(28) }
    let discarded = Self.date(1, prefer: "fault=truncate; phase=before")
    #expect(server.turn([discarded, Self.date(2)]).last?.status == 507)
    #expect(server.image == before)
  }

  enum Company: CaseIterable {
    case none, slowRequestBefore, resetAfter
  }

  @Test("the journal tells that a write whose client has left was rolled back", arguments: Company.allCases)
  func clientGone(_ company: Company) throws {
    let disk = MemoryDisk(seed: 6)
    let server = try DurableServer(on: disk)
    let slow = company == .slowRequestBefore ? server.begin([wire("GET", "/devices", "Prefer: delay=10s")]) : []
    disk.action = { _ in .error(28) }
    let left = server.begin([Self.date(1)])
    let reset = company == .resetAfter ? server.begin([wire("POST", "/_mock/reset")]) : []
    left[0].disconnect()
    let refused = server.application.state.commit()
    #expect(refused.count == 1)
    for connection in reset { connection.resolve(afterRefusing: refused) }
    disk.action = { _ in nil }
    server.runMaintenance()
    #expect(server.ask(Self.book).status == 200)
    #expect(server.ask(wire("GET", "/_mock/journal")).text.contains("rolled back a change"))
    withExtendedLifetime(slow) {}
  }

  @Test("the action of a rival is rolled back, and the journal says so")
  func rivals() throws {
    let disk = MemoryDisk(seed: 4)
    let server = try DurableServer(on: disk, scenario: "rush-hour")
    let before = server.image
    disk.action = { _ in .error(28) }
    server.pass(seconds: 60)
    server.runMaintenance()
    #expect(server.image == before)
    let journal = server.ask(wire("GET", "/_mock/journal?limit=500")).text
    #expect(journal.contains("a rival took") && journal.contains("rolled back a change"))
    disk.action = { _ in nil }
    server.pass(seconds: 60)
    server.runMaintenance()
    #expect(server.image != before)
    #expect(try DurableServer(on: disk.afterPowerLoss(seed: 4), scenario: "rush-hour").image == server.image)
  }

  @Test("a sandbox whose deletion the disk refuses is stored as before: its later writes survive a restart")
  func refusedDeletion() throws {
    let disk = MemoryDisk(seed: 9)
    let server = try DurableServer(on: disk)
    #expect(server.ask(wire("POST", "/_mock/sandboxes", body: #"{"name":"cellar"}"#)).status == 201)
    disk.action = { _ in .error(28) }
    #expect(server.ask(wire("DELETE", "/_mock/sandboxes/cellar")).status == 507)
    disk.action = { _ in nil }
    server.runMaintenance()
    #expect(server.ask(wire("GET", "/@cellar/living-room/tv/on")).status == 200)
    let again = try DurableServer(on: disk)
    #expect(again.ask(wire("GET", "/@cellar/@house/state")).text.contains(#""TV":true"#))
  }

  @Test("a refused scenario leaves the time for which the sandbox was offline as it was")
  func timeOffline() throws {
    let disk = MemoryDisk(seed: 10)
    let server = try DurableServer(on: disk)
    let outage = #"{"name":"off","rules":[{"when":{"until":"10s"},"effect":{"offline":true}}]}"#
    #expect(server.ask(wire("PUT", "/_mock/scenario", body: outage)).status == 200)
    server.pass(seconds: 20)
    let sandbox = try #require(server.application.state.sandboxes[nil])
    #expect(sandbox.timeOffline(at: server.application.realTime) == .seconds(10))
    disk.action = { _ in .error(28) }
    #expect(server.ask(wire("PUT", "/_mock/scenario", body: #""calm""#)).status == 507)
    #expect(sandbox.timeOffline(at: server.application.realTime) == .seconds(10))
  }
}

import JSON
import LiveTesting
import Testing

@testable import Primitives
@testable import Report
@testable import Understudy

/// A control request that the disk refuses has no effect: everything is as before.
@Suite("Control requests that the disk refuses", .live)
struct RefusedControlTests {
  private static let book = wire("POST", "/book", "Idempotency-Key: a", body: "{\"name\":\"Ljerka\"}")
  private static let rooms = wire("GET", "/rooms.json")

  private let disk = MemoryDisk(seed: 1)
  private let loop: VirtualLoop

  init() throws { loop = try VirtualLoop(disk: disk) }

  private func ask(_ method: String, _ target: String, _ body: String = "") throws -> WireResponse {
    try loop.ask(wire(method, target, body: body))
  }

  /// Sends a request while the disk is full, which must refuse it.
  private func refuse(_ method: String, _ target: String, _ body: String = "") throws {
    disk.action = { _ in .error(28) }
    let response = try ask(method, target, body)
    #expect(response.status == 507 && response.text.contains("Nothing was done"))
    disk.action = { _ in nil }
    #expect(loop.turn { loop.application.state.directory?.inDoubt.isEmpty == true })
  }

  /// Everything that the control API shows of a sandbox, except for the time.
  private func shown() throws -> [String] {
    let paths = [
      "/_mock/state", "/_mock/network", "/_mock/scenario", "/_mock/journal?limit=500",
      "/_mock/report?format=json", "/_mock/sandboxes", "/_mock/plan?method=POST&path=/book",
    ]
    return try paths.map { try ask("GET", $0).text }
  }

  @Test("a refused reset leaves journal, card, network, clock, counters and keys as they were")
  func reset() throws {
    #expect(try loop.ask(Self.book).status == 200)
    _ = try loop.ask(Self.rooms)
    #expect(try ask("PATCH", "/_mock/clock", "{\"frozen\":true}").status == 200)
    #expect(try ask("PATCH", "/_mock/network", "{\"state\":\"offline\"}").status == 200)
    let clock = try ask("GET", "/_mock/clock").text
    let before = try shown()
    try refuse("POST", "/_mock/reset")
    #expect(try shown() == before)
    #expect(try ask("GET", "/_mock/clock").text == clock)
    #expect(loop.application.state.finalCards.isEmpty)
    #expect(try ask("PATCH", "/_mock/network", "{\"state\":\"online\"}").status == 200)
    #expect(try loop.ask(Self.book).status == 200)
    #expect(try loop.ask(Self.rooms).text.contains("\"Ljerka\",\"spots\":42,"), "the key's response is replayed")
    let card = try ask("GET", "/_mock/report?format=json")
    #expect(!card.text.contains("\"fail\""), "\(card.text)")
    #expect(try ask("POST", "/_mock/reset").status == 204)
    #expect(try !ask("GET", "/_mock/journal").text.contains("/book"))
    #expect(loop.application.state.finalCards.count == 1)
  }

  @Test("an exchange that ends during a refused reset stands in the journal and in the card")
  func crossing() throws {
    let client = try WireConnection(loop.port)
    try client.send(wire("POST", "/book", "Prefer: delay=10s; phase=after", body: "{\"name\":\"Ljerka\"}"))
    #expect(loop.turn { loop.journal.count == 1 && loop.connections.first?.connection.hasExchange == true })
    #expect(loop.turn { loop.connections.allSatisfy { $0.connection.wakeUp != nil } })
    let sandbox = try #require(loop.application.state.sandboxes[nil])
    try loop.application.state.reset(sandbox)
    loop.pass(.seconds(11))
    for entry in loop.connections {
      entry.connection.resume(at: loop.application.now)
      loop.loop.markDirty(entry)
    }
    #expect(sandbox.traffic.journal.count == 0)
    disk.action = { _ in .error(28) }
    #expect(loop.application.state.commit().count == 1)
    disk.action = { _ in nil }
    #expect(sandbox.traffic.journal.entry(1)?.outcome == .sent)
    #expect(sandbox.traffic.checks.exchanges == 1)
    let later = try loop.ask(wire("GET", "/users/1"))
    #expect(later["Understudy-Request"] == "2")
  }

  @Test("exchanges that are judged during a refused reset stand in the card")
  func judgedMeanwhile() throws {
    let server = try DurableServer(on: disk)
    let sandbox = try #require(server.application.state.sandboxes[nil])
    server.ask(Self.rooms)
    try server.application.state.reset(sandbox)
    let count = 100
    for connection in server.begin(Array(repeating: Self.rooms, count: count)) { connection.disconnect() }
    #expect(sandbox.traffic.checks.exchanges == count)
    disk.action = { _ in .error(28) }
    #expect(server.application.state.commit().count == 1)
    #expect(sandbox.traffic.checks.exchanges == count + 1)
    let context = CheckContext(now: server.application.tick)
    #expect(sandbox.traffic.checks.findings(context).timeline.reduce(0) { $0 + $1.count } == count)
  }

  @Test("a refused scenario leaves neither an event nor rules in the card, and resets no connection")
  func scenario() throws {
    let client = try WireConnection(loop.port)
    try client.send(Self.rooms)
    #expect(try loop.response(to: client).status == 200)
    let before = try ask("GET", "/_mock/scenario").text
    try refuse("PUT", "/_mock/scenario", "{\"name\":\"off\",\"rules\":[{\"effect\":{\"offline\":true}}]}")
    #expect(try ask("GET", "/_mock/scenario").text == before)
    #expect(try !ask("GET", "/_mock/journal").text.contains("armed the scenario"))
    #expect(try ask("GET", "/_mock/report?format=text").text.contains("never took effect") == false)
    try client.send(Self.rooms)
    #expect(try loop.response(to: client).status == 200)
  }

  @Test(
    "a refused deletion keeps the network switch, held responses, and leaves no card", arguments: ["held", "offline"])
  func deletion(state: String) throws {
    #expect(try ask("POST", "/_mock/sandboxes", "{\"name\":\"ci-1\",\"port\":0}").status == 201)
    let body = "{\"state\":\"\(state)\"\(state == "offline" ? ",\"as\":\"refused\"" : "")}"
    #expect(try ask("PATCH", "/@ci-1/_mock/network", body).status == 200)
    let port = try #require(loop.application.state.sandboxes["ci-1"]?.identity.port)
    let client = state == "held" ? try WireConnection(port) : nil
    try client?.send(Self.rooms)
    if client != nil { #expect(loop.turn { loop.application.state.sandboxes["ci-1"]?.traffic.journal.count == 1 }) }
    try refuse("DELETE", "/_mock/sandboxes/ci-1")
    #expect(loop.application.state.finalCards.isEmpty)
    #expect(try ask("GET", "/@ci-1/_mock/network").text.contains(state))
    if let client {
      #expect(client.available().isEmpty, "the response is still held")
      #expect(try ask("PATCH", "/@ci-1/_mock/network", "{\"state\":\"online\"}").status == 200)
      #expect(try loop.response(to: client).status == 200)
    } else {
      #expect(throws: (any Error).self, "the connection is refused") { try WireConnection(port) }
    }
    #expect(try ask("DELETE", "/_mock/sandboxes/ci-1").status == 204)
    #expect(throws: (any Error).self) { try WireConnection(port) }
    #expect(loop.application.state.finalCards.count == 1)
  }

  @Test("a refused reset leaves a port that refuses connections as it is")
  func refusedPort() throws {
    #expect(try ask("POST", "/_mock/sandboxes", "{\"name\":\"ci-1\",\"port\":0}").status == 201)
    #expect(try ask("PATCH", "/@ci-1/_mock/network", "{\"state\":\"offline\",\"as\":\"refused\"}").status == 200)
    let port = try #require(loop.application.state.sandboxes["ci-1"]?.identity.port)
    try refuse("POST", "/@ci-1/_mock/reset")
    #expect(throws: (any Error).self, "the connection is refused") { try WireConnection(port) }
    #expect(try ask("POST", "/@ci-1/_mock/reset").status == 204)
    #expect(throws: Never.self) { try WireConnection(port) }
  }

  @Test(
    "a refused snapshot, restoration, patch, clock or new sandbox leaves no trace in what is shown",
    arguments: [
      ("PUT", "/_mock/snapshots/b", ""), ("POST", "/_mock/snapshots/a/restore", ""),
      ("PATCH", "/_mock/state", "{\"house\":{\"temperature\":31}}"), ("PATCH", "/_mock/clock", "{\"advance\":\"1h\"}"),
      ("POST", "/_mock/sandboxes", "{\"name\":\"ci-1\",\"port\":0}"), ("PATCH", "/_mock/scenario", "{\"seed\":7}"),
    ])
  func others(method: String, target: String, body: String) throws {
    #expect(try ask("PUT", "/_mock/snapshots/a").status == 201)
    #expect(try loop.ask(Self.book).status == 200)
    let paths = [
      "/_mock/state", "/_mock/network", "/_mock/scenario", "/_mock/sandboxes", "/_mock/snapshots/a",
      "/_mock/snapshots/b",
    ]
    let before = try paths.map { try ask("GET", $0).text }
    try refuse(method, target, body)
    #expect(try paths.map { try ask("GET", $0).text } == before)
    #expect(try !ask("GET", "/_mock/report?format=json").text.contains("\"fail\""))
    #expect(loop.application.state.sandboxes[nil]?.state.clock == SandboxClock())
  }
}

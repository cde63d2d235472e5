import Contract
import HTTP1
import JSON
import Report
import Testing

@testable import Faults
@testable import Primitives
@testable import Services
@testable import Understudy

@Suite("A sandbox's life")
struct SandboxLifeTests {
  private static let seeds: Result<SeedData, any Error> = Result { try .embedded() }

  /// Offline from the tenth to the twentieth second.
  private static var offline: Scenario {
    get throws {
      try Scenarios.read(
        JSONValue(parsing: #"{"name":"x","rules":[{"when":{"from":"10s","until":"20s"},"effect":{"offline":true}}]}"#))
    }
  }

  @Test("a ttl counts from the last use, including the control API's, and ends only its own sandbox")
  func timeToLive() throws {
    let server = try DurableServer(on: MemoryDisk(seed: 1))
    for members in [#""short","ttl":"10s""#, #""busy","ttl":"10s""#, #""lasting""#] {
      #expect(server.ask(wire("POST", "/_mock/sandboxes", body: "{\"name\":\(members)}")).status == 201)
    }
    for path in ["/users/1", "/_mock/clock", "/users/1"] {
      server.pass(seconds: 8)
      server.runMaintenance()
      #expect(server.ask(wire("GET", "/@short" + path)).status == 200, "used within nine seconds")
      #expect(server.ask(wire("GET", "/@busy" + path)).status == 200)
    }
    server.pass(seconds: 5)
    #expect(server.ask(wire("GET", "/@busy/users/1")).status == 200)
    server.pass(seconds: 5)
    server.runMaintenance()
    #expect(server.ask(wire("GET", "/@short/users/1")).status == 404, "not used for eleven seconds")
    #expect(server.ask(wire("GET", "/@busy/users/1")).status == 200, "used six seconds ago")
    server.pass(seconds: 1_000_000)
    server.runMaintenance()
    #expect(server.ask(wire("GET", "/@busy/users/1")).status == 404)
    for path in ["/users/1", "/@lasting/users/1"] { #expect(server.ask(wire("GET", path)).status == 200) }
  }

  @Test("a deleted sandbox whose exchanges wait for an earlier one is freed when that has ended")
  func freed() throws {
    let server = try DurableServer(on: MemoryDisk(seed: 2))
    server.ask(wire("POST", "/_mock/sandboxes", body: #"{"name":"s"}"#))
    // It still refers to the sandbox when that is deleted.
    let slow = server.connect(wire("GET", "/@s/users/1", "Prefer: delay=1s"))
    for _ in 0..<65 { server.ask(wire("GET", "/@s/users")) }
    weak let sandbox = server.application.state.sandboxes["s"]
    #expect(sandbox?.traffic.exchangeLog.waitingCount == 65)
    server.ask(wire("DELETE", "/_mock/sandboxes/s"))
    server.pass(seconds: 1)
    slow.resume()
    slow.didSend(slow.output.pending)
    #expect(sandbox == nil)
  }

  @Test("a reset sets the clock to the machine's time, and lets it run")
  func resetClock() throws {
    let server = try DurableServer(on: MemoryDisk(seed: 1))
    let clock = server.ask(wire("GET", "/_mock/clock")).text
    server.ask(wire("PATCH", "/_mock/clock", body: "{\"frozen\":true,\"advance\":\"1h\"}"))
    #expect(server.ask(wire("GET", "/_mock/clock")).text != clock)
    #expect(server.ask(wire("POST", "/_mock/reset")).status == 204)
    #expect(server.ask(wire("GET", "/_mock/clock")).text == clock)
    server.pass(seconds: 1)
    #expect(server.ask(wire("GET", "/_mock/clock")).text != clock)
  }

  @Test("an advance beyond the year 2262 is refused, and leaves the clock as it was")
  func endOfTime() throws {
    let server = try DurableServer(on: MemoryDisk(seed: 1))
    // More than a hundred years.
    let advance = wire("PATCH", "/_mock/clock", body: "{\"advance\":\"999999h\"}")
    for _ in 1...2 { #expect(server.ask(advance).status == 200) }
    let clock = server.ask(wire("GET", "/_mock/clock")).text
    let refused = server.ask(advance)
    #expect(refused.status == 400 && refused.text.contains("2262"))
    #expect(server.ask(wire("GET", "/_mock/clock")).text == clock)
  }

  @Test("a sandbox's own port is closed when the sandbox is deleted")
  func port() async throws {
    try await withStage { stage throws in
      let port = try #require(stage.json("/_mock/sandboxes", "POST", #"{"name":"ci","port":0}"#)["port"]?.int)
      #expect(try exchange(stage.server, wire("GET", "/users/1"), port: port).status == 200)
      _ = try stage.json("/_mock/sandboxes/ci", "DELETE")
      #expect(throws: WireConnection.Failure.self) { try WireConnection(port) }
    }
  }

  @Test("a ttl of less than a second is refused")
  func shortTimeToLive() throws {
    let server = try DurableServer(on: MemoryDisk(seed: 1))
    #expect(server.ask(wire("POST", "/_mock/sandboxes", body: "{\"ttl\":\"999ms\"}")).status == 400)
    #expect(server.ask(wire("POST", "/_mock/sandboxes", body: "{\"ttl\":\"1s\"}")).status == 201)
  }

  @Test("offline time adds up over successive scenarios, and restarts with a reset")
  func timeOffline() throws {
    let start = Instant(seconds: 1_700_000_000)
    let offline = try Self.offline
    let sandbox = Sandbox(
      Sandbox.Configuration(), seeds: try Self.seeds.get(), at: start, tick: MonotonicInstant(nanoseconds: 0))
    func spent(_ seconds: Int) -> Duration { sandbox.timeOffline(at: start + .seconds(seconds)) }
    sandbox.arm(offline, seed: 1, at: start)
    #expect([5, 10, 15, 20, 30].map(spent) == [0, 0, 5, 10, 10].map { Duration.seconds($0) })
    sandbox.arm(.calm, seed: 1, at: start + .seconds(15))
    #expect([15, 16, 100].map(spent) == [5, 5, 5].map { Duration.seconds($0) })
    sandbox.arm(offline, seed: 2, at: start + .seconds(100))
    #expect([105, 113, 130].map(spent) == [5, 8, 15].map { Duration.seconds($0) })
    sandbox.reset(at: start + .seconds(130))
    #expect([130, 135, 142, 190].map(spent) == [0, 0, 2, 10].map { Duration.seconds($0) })
  }

  @Test("a request after a reset is not a replay of one before it")
  func replays() throws {
    let sandbox = Sandbox(
      Sandbox.Configuration(), seeds: try Self.seeds.get(), at: Instant(seconds: 0),
      tick: MonotonicInstant(nanoseconds: 0))
    let lost = TransportRetryDetector.Lost(
      loss: .staleConnection, id: 1, n: 1, plan: .none, preference: nil, fingerprint: 5, replays: 0,
      end: MonotonicInstant(nanoseconds: 0))
    sandbox.traffic.replays.record(lost)
    sandbox.reset(at: Instant(seconds: 0))
    #expect(sandbox.traffic.replays.match(5, at: MonotonicInstant(nanoseconds: 0)) == nil)
  }

  @Test("an advance of the clock skips the outages in it, which are no time offline")
  func advances() throws {
    let start = Instant(seconds: 1_700_000_000)
    let offline = try Self.offline
    let sandbox = Sandbox(
      Sandbox.Configuration(), seeds: try Self.seeds.get(), at: start, tick: MonotonicInstant(nanoseconds: 0))
    sandbox.arm(offline, seed: 1, at: start)
    var clock = sandbox.state.clock
    clock.advance(by: .seconds(12))
    sandbox.set(clock, at: start)
    #expect(sandbox.isOffline(at: start) && sandbox.timeOffline(at: start) == .zero)
    #expect(sandbox.timeOffline(at: start + .seconds(3)) == .seconds(3))
    #expect(sandbox.untilOutage(at: start) == .seconds(8))
  }

  private func desk() throws -> Document {
    let index = try #require(API.all.firstIndex { $0.name == "booking" })
    return try Document(try Self.seeds.get().documents[index], of: BookingDesk.self)
  }

  private func spots(_ desk: Document) -> [Int] {
    (desk.data["rooms"]?.array ?? []).compactMap { $0["spots"]?.int }
  }

  private func total(_ desk: Document) -> Int { spots(desk).reduce(0, +) }

  /// Carries out a rival's action; returns false if there was nothing to do.
  private func move(_ desk: inout Document, takes: Bool, draw: UInt64) -> Bool {
    let rival = Rivals.Move(rule: "rule 1", at: .zero, takes: takes, draw: draw)
    guard let move = BookingDesk.moves(of: [rival], in: desk).first else { return false }
    return desk.carryOut(move)
  }

  @Test("rivals give back no more spots than they took")
  func rivals() throws {
    var desk = try desk()
    let start = spots(desk)
    let left = total(desk) - 5
    #expect(!move(&desk, takes: false, draw: 3), "all is free")
    for draw in UInt64(0)..<5 { #expect(move(&desk, takes: true, draw: draw)) }
    #expect(total(desk) == left)
    for draw in UInt64(0)..<5 { #expect(move(&desk, takes: false, draw: draw)) }
    for draw in UInt64(0)..<50 { #expect(!move(&desk, takes: false, draw: draw)) }
    #expect(spots(desk) == start)
  }

  @Test("rivals take no spot of a full room")
  func fullRooms() throws {
    var desk = try desk()
    for draw in 0..<UInt64(total(desk)) { #expect(move(&desk, takes: true, draw: draw)) }
    #expect(!move(&desk, takes: true, draw: 1))
    #expect(spots(desk).allSatisfy { $0 == 0 })
  }

  @Test("several actions that are due at once follow from each other")
  func severalMoves() throws {
    let desk = try desk()
    let rivals = (0..<UInt64(400)).map { Rivals.Move(rule: "rule 1", at: .zero, takes: true, draw: $0) }
    var (one, all) = (desk, desk)
    for rival in rivals { _ = move(&one, takes: true, draw: rival.draw) }
    for move in BookingDesk.moves(of: rivals, in: desk) { _ = all.carryOut(move) }
    #expect(one.data == all.data)
  }

  @Test("room lists are cached for a limited number of addresses, and each address still has its own")
  func boards() throws {
    var desk = try desk()
    let operation = try #require(API.booking.operations.firstIndex { $0.id == "listBookingRoomsByBrief" })
    for number in 1...40 {
      let call = Call(
        operation: operation, arguments: [], query: Query(), body: [], contentType: nil,
        base: "http://host-\(number)", now: Instant(seconds: 0))
      let response = BookingDesk.handlers.respond(to: call, &desk)
      let text = String(decoding: response.representation?.bytes ?? [], as: UTF8.self)
      #expect(text.contains("http://host-\(number)/image/"))
      #expect(desk.viewCount <= Document.viewCapacity)
    }
  }
}

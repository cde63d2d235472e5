import JSON
import Primitives
import Testing

@testable import Understudy

@Suite("Outages and rivals")
struct OutageTests {
  private static let offline = #"{"effect":{"offline":true}}"#

  @Test("an outage resets open and new connections, spares the health probe, and ends")
  func offline() async throws {
    try await withStage { stage in
      let kept = try stage.server.usedConnection()
      let idle = try WireConnection(stage.server.port)
      try stage.arm(Self.offline)
      #expect(kept.rest() == ("", .reset))
      for request in [wire("GET", "/users/1"), Stage.write, wire("GET", "/nowhere")] {
        let client = try WireConnection(stage.server.port)
        try client.send(request)
        #expect(client.rest() == ("", .reset))
      }
      try idle.send(wire("GET", "/_mock/health"))
      #expect(try idle.response().status == 200)
      #expect(try stage.requests().dropFirst().allSatisfy { $0["outcome"] == "reset" && $0["applied"] == false })
      #expect(try stage.spots() == 43)
      try stage.arm()
      #expect(try exchange(stage.server, Stage.write).status == 200)
    }
  }

  @Test("an outage resets exchanges in flight, which are not applied")
  func underWay() async throws {
    try await withStage(#"{"effect":{"latency":"1h"}}"#) { stage in
      let client = try WireConnection(stage.server.port)
      try client.send(Stage.write)
      #expect(await stage.server.journalBecomes { $0.count == 1 })
      try stage.arm(Self.offline)
      #expect(client.rest() == ("", .reset))
      #expect(try stage.requests().first?["outcome"] == "reset")
      #expect(try stage.spots() == 43)
    }
  }

  @Test("an outage is not delayed by latencies")
  func atOnce() async throws {
    try await withStage(#"{"effect":{"latency":"1h"}}"#, Self.offline) { stage in
      let client = try WireConnection(stage.server.port)
      try client.send(wire("GET", "/users/1"))
      #expect(client.rest() == ("", .reset))
    }
  }

  @Test("an outage resets new connections at the sandbox's own port, and spares other sandboxes")
  func ownPort() async throws {
    try await withStage { stage in
      let made = try stage.json("/_mock/sandboxes", "POST", #"{"name":"cellar","port":0}"#)
      let port = try #require(made["port"]?.int)
      #expect(try exchange(stage.server, wire("GET", "/users/1"), port: port).status == 200)
      let kept = try WireConnection(port)
      try kept.send(wire("GET", "/users/1"))
      _ = try kept.response()
      _ = try stage.json("/@cellar/_mock/scenario", "PUT", #"{"name":"off","rules":[\#(Self.offline)]}"#)
      #expect(kept.rest() == ("", .reset))
      let fresh = try? WireConnection(port)
      #expect(fresh.map { $0.rest().end } ?? .reset == .reset)
      #expect(try exchange(stage.server, wire("GET", "/users/1")).status == 200)
      _ = try stage.json("/@cellar/_mock/scenario", "PUT", #""calm""#)
      #expect(try exchange(stage.server, wire("GET", "/users/1"), port: port).status == 200)
    }
  }

  @Test("rivals move when the clock is advanced, and each move is an event with its versions")
  func rivals() async throws {
    try await withStage { stage in
      _ = try stage.json("/_mock/clock", "PATCH", #"{"frozen":true}"#)
      try stage.arm(#"{"effect":{"rivals":{"every":"2s","books":2}}}"#)
      let before = try stage.json("/_mock/state")
      #expect(try exchange(stage.server, wire("GET", "/rooms.json")).status == 200)
      #expect(try stage.json("/_mock/state") == before)
      try stage.advanceClock("20s")
      let response = try exchange(stage.server, wire("GET", "/rooms.json"))
      #expect(response.status == 200)
      let events = try stage.journal().filter { $0["event"]?.string?.hasPrefix("a rival") == true }
      #expect((1...20).contains(events.count), "a rival without a spot to give back makes no move")
      let versions = events.compactMap { $0["versions", "to"]?.int }
      #expect(versions == Array(1...events.count))
      #expect(try stage.json("/_mock/state") != before)
      let balance = events.map { $0["event"]?.string?.contains(" took ") == true ? -1 : 1 }.reduce(0, +)
      func total(_ state: JSONValue) -> Int {
        (state["booking", "rooms"]?.array ?? []).compactMap { $0["spots"]?.int }.reduce(0, +)
      }
      #expect(total(try stage.json("/_mock/state")) == total(before) + balance)
    }
  }
}

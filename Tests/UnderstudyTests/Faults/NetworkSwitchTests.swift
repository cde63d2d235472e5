import Contract
import Faults
import JSON
import LiveTesting
import Testing

@testable import Understudy

@Suite("The network switch")
struct NetworkSwitchTests {
  private static let read = wire("GET", "/users/1")

  private func network(_ stage: Stage, _ patch: String, at base: String = "") throws -> JSONValue {
    try stage.json(base + "/_mock/network", "PATCH", patch)
  }

  /// Sends a request on a connection of its own, and returns what came and how it ended.
  private func action(of request: String, _ stage: Stage) throws -> WireConnection.End {
    let client = try WireConnection(stage.server.port)
    try client.send(request)
    return client.rest().end
  }

  @Test("offline resets kept and new connections, spares the control API and other sandboxes, and comes back")
  func reset() async throws {
    try await withStage { stage in
      let kept = try stage.server.usedConnection()
      _ = try stage.json("/_mock/sandboxes", "POST", #"{"name":"other"}"#)
      #expect(try network(stage, #"{"state":"offline"}"#) == ["state": "offline", "as": "reset"])
      #expect(kept.rest() == ("", .reset))
      for request in [Self.read, Stage.write] { #expect(try action(of: request, stage) == .reset) }
      #expect(try exchange(stage.server, wire("GET", "/@other/users/1")).status == 200)
      #expect(try stage.spots() == 43, "no write reached the backend")
      #expect(try network(stage, #"{"state":"online"}"#) == ["state": "online"])
      #expect(try exchange(stage.server, Stage.write).status == 200)
      let struck = try stage.requests().filter { $0["network"] == "offline" }
      #expect(struck.count == 2 && struck.allSatisfy { $0["n"] == .null && $0["outcome"] == "reset" })
      #expect(try stage.requests().filter { $0["network"] == nil }.allSatisfy { $0["outcome"] == "sent" })
      let events = try stage.journal().compactMap { $0["event"]?.string }
      #expect(events == ["switched the network to offline (reset)", "switched the network to online"])
    }
  }

  @Test("the connection that asks for the outage survives it, and an exchange under way does not")
  func underWay() async throws {
    try await withStage(#"{"match":{"path":"/users/2"},"effect":{"latency":"1h"}}"#) { stage in
      let driver = try stage.server.usedConnection()
      let waiting = try WireConnection(stage.server.port)
      try waiting.send(wire("GET", "/users/2"))
      try #require(await eventually { try stage.requests().count == 2 })
      try driver.send(wire("PATCH", "/_mock/network", body: #"{"state":"offline"}"#))
      #expect(try driver.response().status == 200)
      #expect(waiting.rest() == ("", .reset))
      #expect(try stage.requests().last?["network"] == "offline")
    }
  }

  /// Runs 40 requests of several streams against a scenario that decides by n, chance and arrival, and returns their plans.
  private func plans(_ offline: String?) async throws -> [JSONValue] {
    let rules = [
      #"{"name":"dice","when":{"chance":"1/3"},"effect":{"status":503}}"#,
      #"{"name":"drawn","effect":{"latency":{"uniform":["1us","900us"]}}}"#,
      #"{"name":"few","effect":{"rateLimit":{"limit":30,"window":"1h"}}}"#,
      #"{"name":"third","match":{"path":"/devices"},"when":{"nth":3},"effect":{"fault":"drift"}}"#,
    ]
    return try await withStage { stage in
      _ = try stage.json("/_mock/clock", "PATCH", #"{"frozen":true}"#)
      try stage.arm(rules)
      for round in 0..<10 {
        if round == 5, let offline {
          _ = try network(stage, offline)
          for path in ["/users/1", "/devices", "/nowhere", "/users/1"] {
            let client = try WireConnection(stage.server.port)
            try client.send(wire("GET", path))
            try #require(
              await eventually { try stage.requests().last?["network"] == "offline" }, "the request arrived")
            client.reset()
          }
          _ = try network(stage, #"{"state":"online"}"#)
        }
        for path in ["/users/1", "/users/2", "/devices", "/rooms.json"] {
          _ = try exchange(stage.server, wire("GET", path))
        }
      }
      return try stage.requests().filter { $0["network"] == nil }.map { entry in
        ["path": entry["path"] ?? .null, "n": entry["n"] ?? .null, "plan": entry["plan"] ?? .null]
      }
    }
  }

  @Test(
    "all plans of a run with a trip offline are those of a run without",
    arguments: [#"{"state":"offline"}"#, #"{"state":"offline","as":"silence"}"#])
  func rearmsNothing(patch: String) async throws {
    let (with, without) = (try await plans(patch), try await plans(nil))
    #expect(without.count == 40 && with == without)
    #expect(Set(without.compactMap { $0["plan", "words"]?.string }).count > 10, "the scenario decided something")
  }

  @Test("refused closes the sandbox's own port, keeps it, and opens it again")
  func refused() async throws {
    try await withStage { stage in
      let made = try stage.json("/_mock/sandboxes", "POST", #"{"name":"cellar","port":0}"#)
      let port = try #require(made["port"]?.int)
      let kept = try WireConnection(port)
      try kept.send(Self.read)
      #expect(try kept.response().status == 200)
      #expect(
        try network(stage, #"{"state":"offline","as":"refused"}"#, at: "/@cellar")
          == ["state": "offline", "as": "refused"])
      #expect(kept.rest() == ("", .reset))
      #expect(throws: WireConnection.Failure.self) { try WireConnection(port) }
      #expect(try action(of: wire("GET", "/@cellar/users/1"), stage) == .reset, "by the other way, too")
      let others = try (0..<20).map { _ in try stage.json("/_mock/sandboxes", "POST", #"{"port":0}"#)["port"]?.int }
      #expect(!others.contains(port), "the port is kept")
      _ = try network(stage, #"{"state":"offline","as":"refused"}"#, at: "/@cellar")
      _ = try network(stage, #"{"state":"online"}"#, at: "/@cellar")
      #expect(try exchange(stage.server, Self.read, port: port).status == 200)
    }
  }

  @Test("a reset opens a refused port, and deleting the sandbox frees it", arguments: [true, false])
  func refusedEnds(isReset: Bool) async throws {
    try await withStage { stage in
      let made = try stage.json("/_mock/sandboxes", "POST", #"{"name":"cellar","port":0}"#)
      let port = try #require(made["port"]?.int)
      _ = try network(stage, #"{"state":"offline","as":"refused"}"#, at: "/@cellar")
      if isReset {
        _ = try stage.json("/@cellar/_mock/reset", "POST")
        #expect(try stage.json("/@cellar/_mock/network") == ["state": "online"])
      } else {
        _ = try stage.json("/_mock/sandboxes/cellar", "DELETE")
        _ = try stage.json("/_mock/sandboxes", "POST", #"{"name":"next","port":\#(port)}"#)
      }
      #expect(try exchange(stage.server, Self.read, port: port).status == 200)
    }
  }

  @Test("a sandbox without a port of its own cannot refuse, and stays as it was")
  func refusedWithoutPort() async throws {
    try await withStage { stage in
      let patch = wire("PATCH", "/_mock/network", body: #"{"state":"offline","as":"refused"}"#)
      let response = try exchange(stage.server, patch)
      #expect(response.status == 409 && response.text.contains(#"\"port\": 0"#))
      #expect(try exchange(stage.server, Self.read).status == 200)
    }
  }

  @Test("in a silence nothing is sent, and the connection is reset when the network is back")
  func silence() async throws {
    try await withStage { stage in
      let kept = try stage.server.usedConnection()
      _ = try network(stage, #"{"state":"offline","as":"silence"}"#)
      try kept.send(Stage.write)
      try #require(await eventually { try stage.requests().last?["network"] == "offline" })
      #expect(try stage.requests().last?["outcome"] == "pending" && kept.available().isEmpty)
      #expect(try stage.spots() == 43)
      _ = try network(stage, #"{"state":"online"}"#)
      #expect(kept.rest() == ("", .reset))
    }
  }

  @Test("held carries requests out and keeps their responses until the network is online")
  func held() async throws {
    try await withStage { stage in
      #expect(try network(stage, #"{"state":"held"}"#) == ["state": "held"])
      let clients = try (0..<3).map { _ in try WireConnection(stage.server.port) }
      for client in clients { try client.send(Stage.write) }
      try #require(await eventually { try stage.requests().count { $0["network"] == "held" } == 3 })
      #expect(try stage.spots() == 40, "they were carried out")
      #expect(clients.allSatisfy { $0.available().isEmpty })
      clients[0].hangUp()
      try #require(await eventually { try stage.requests().first?["outcome"] == "peer gone" }, "a peer is let go")
      _ = try network(stage, #"{"state":"online"}"#)
      for client in clients.dropFirst() { #expect(try client.response().text == Stage.written) }
      #expect(try stage.requests().dropFirst().allSatisfy { $0["outcome"] == "sent" && $0["n"] != .null })
    }
  }

  @Test("a response whose delay ends while the network is held waits, and says nothing of punctuality")
  func heldDelay() async throws {
    try await withStage(#"{"effect":{"latency":"5ms"}}"#) { stage in
      _ = try network(stage, #"{"state":"held"}"#)
      let client = try WireConnection(stage.server.port)
      try client.send(Self.read)
      try #require(await eventually { try stage.requests().last?["network"] == "held" })
      _ = try network(stage, #"{"state":"online"}"#)
      #expect(try client.response().status == 200)
      #expect(try stage.json("/_mock/report?format=json")["delays", "measured", "count"] == 0)
    }
  }

  @Test("deleting the sandbox lets held responses go, and so does stopping the server")
  func heldEnds() async throws {
    try await withStage { stage in
      _ = try stage.json("/_mock/sandboxes", "POST", #"{"name":"cellar"}"#)
      for base in ["/@cellar", ""] { _ = try network(stage, #"{"state":"held"}"#, at: base) }
      let (deleted, stopped) = (try WireConnection(stage.server.port), try WireConnection(stage.server.port))
      try deleted.send(wire("GET", "/@cellar/users/1"))
      try stopped.send(Self.read)
      try #require(await eventually { try stage.requests().last?["network"] == "held" })
      _ = try stage.json("/_mock/sandboxes/cellar", "DELETE")
      #expect(try deleted.response().status == 200)
      await stage.server.stop()
      #expect(stopped.rest().text.isEmpty)
    }
  }

  @Test("a time goes by the sandbox's clock: a frozen one stops it, an advance shortens it")
  func time() async throws {
    try await withStage { stage in
      let made = try stage.json("/_mock/sandboxes", "POST", #"{"name":"cellar","port":0}"#)
      let port = try #require(made["port"]?.int)
      _ = try stage.json("/@cellar/_mock/clock", "PATCH", #"{"frozen":true}"#)
      _ = try network(stage, #"{"state":"offline","as":"refused","for":"30s"}"#, at: "/@cellar")
      #expect(try stage.json("/@cellar/_mock/network")["for"] == "30s")
      _ = try stage.json("/@cellar/_mock/clock", "PATCH", #"{"advance":"20s"}"#)
      #expect(try stage.json("/@cellar/_mock/network") == ["state": "offline", "as": "refused", "for": "10s"])
      #expect(try network(stage, #"{"for":"5s"}"#, at: "/@cellar")["for"] == "5s")
      #expect(throws: WireConnection.Failure.self) { try WireConnection(port) }
      _ = try stage.json("/@cellar/_mock/clock", "PATCH", #"{"advance":"5s"}"#)
      #expect(await eventually { (try? exchange(stage.server, Self.read, port: port).status) == 200 })
      #expect(try stage.json("/@cellar/_mock/network") == ["state": "online"])
    }
  }

  static let refusedPatches: [(body: String, pointer: String)] = [
    (#"{"state":"down"}"#, "/state"), (#"{"state":"offline","as":"slow"}"#, "/as"),
    (#"{"state":"offline","for":"30"}"#, "/for"),
    (#"{"state":"offline","for":"0s"}"#, "/for"), (#"{"offline":true}"#, "/offline"),
  ]

  @Test("what makes no sense is refused by its place, and changes nothing", arguments: refusedPatches)
  func isStrict(body: String, pointer: String) async throws {
    try await withStage { stage in
      let response = try exchange(stage.server, wire("PATCH", "/_mock/network", body: body))
      let errors = try JSONValue(parsing: response.body)["errors"]?.array ?? []
      #expect(response.status == 400 && errors.first?["pointer"] == .string(pointer), "\(response.text)")
      #expect(try stage.json("/_mock/network") == ["state": "online"])
    }
  }

  @Test(
    "what contradicts the state is refused as a conflict, and changes nothing",
    arguments: [
      #"{"state":"online","for":"1s"}"#, #"{"state":"held","as":"reset"}"#, #"{"as":"silence"}"#, #"{"for":"1s"}"#,
    ])
  func isConsistent(body: String) async throws {
    try await withStage { stage in
      let response = try exchange(stage.server, wire("PATCH", "/_mock/network", body: body))
      #expect(response.status == 409 && response.text.contains("network-conflict"), "\(response.text)")
      #expect(try stage.json("/_mock/network") == ["state": "online"])
    }
  }

  @Test("the report holds the time offline against no client")
  func timeOffline() throws {
    let loop = try VirtualLoop()
    _ = try loop.ask(wire("PATCH", "/_mock/network", body: #"{"state":"offline","for":"40s"}"#))
    let sandbox = try #require(loop.backend.sandboxes[nil])
    let start = loop.backend.realTime
    #expect(loop.turn { sandbox.network.isOnline })
    #expect(loop.backend.realTime - start <= .seconds(40), "it ended in time")
    #expect(sandbox.timeOffline(at: loop.backend.realTime + .seconds(9)) == .seconds(40))
    sandbox.arm(.calm, seed: 2, at: loop.backend.realTime)
    #expect(sandbox.timeOffline(at: loop.backend.realTime) == .seconds(40), "arming counts nothing twice")
  }
}

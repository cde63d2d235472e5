import Contract
import Faults
import JSON
import LiveTesting
import Primitives
import Report
import Testing

@testable import Understudy

@Suite("The network switch")
struct NetworkSwitchTests {
  private static let read = wire("GET", "/users/1")

  private func network(_ stage: Stage, _ patch: String, at base: String = "") throws -> JSONValue {
    try stage.json(base + "/_mock/network", "PATCH", patch)
  }

  /// Sends a request on its own connection, and returns the received text and the connection's end.
  private func action(of request: String, _ stage: Stage) throws -> WireConnection.End {
    let client = try WireConnection(stage.server.port)
    try client.send(request)
    return client.rest().end
  }

  @Test("the state `offline` resets open and new connections, except for the control API and other sandboxes")
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

  @Test("the outage spares the connection that requested it, and resets exchanges in flight")
  func underWay() async throws {
    try await withStage(#"{"match":{"path":"/users/2"},"effect":{"latency":"1h"}}"#) { stage in
      let driver = try stage.server.usedConnection()
      let waiting = try WireConnection(stage.server.port)
      try waiting.send(wire("GET", "/users/2"))
      try #require(await stage.server.journalBecomes { $0.count == 2 })
      try driver.send(wire("PATCH", "/_mock/network", body: #"{"state":"offline"}"#))
      #expect(try driver.response().status == 200)
      #expect(waiting.rest() == ("", .reset))
      #expect(try stage.requests().last?["network"] == "offline")
    }
  }

  /// Returns the plans of 40 requests of several streams in a scenario that decides by n, chance and arrival.
  private func plans(_ offline: String?) async throws -> [JSONValue] {
    let rules = [
      #"{"name":"chance","when":{"chance":"1/3"},"effect":{"status":503}}"#,
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
            try #require(await stage.server.journalBecomes { $0.last?.network == .offline }, "the request arrived")
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
    "the plans of a run are the same with and without an outage",
    arguments: [#"{"state":"offline"}"#, #"{"state":"offline","as":"silence"}"#])
  func rearmsNothing(patch: String) async throws {
    let (with, without) = (try await plans(patch), try await plans(nil))
    #expect(without.count == 40 && with == without)
    #expect(Set(without.compactMap { $0["plan", "words"]?.string }).count > 10, "the scenario decided something")
  }

  @Test("an outage as `refused` closes the sandbox's own port, reserves it, and opens it again")
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
      #expect(try action(of: wire("GET", "/@cellar/users/1"), stage) == .reset, "also by the main port")
      let others = try (0..<20).map { _ in try stage.json("/_mock/sandboxes", "POST", #"{"port":0}"#)["port"]?.int }
      #expect(!others.contains(port), "the port is reserved")
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

  @Test("a sandbox without its own port cannot refuse connections, and does not change")
  func refusedWithoutPort() async throws {
    try await withStage { stage in
      let patch = wire("PATCH", "/_mock/network", body: #"{"state":"offline","as":"refused"}"#)
      let response = try exchange(stage.server, patch)
      #expect(response.status == 409 && response.text.contains(#"\"port\": 0"#))
      #expect(try exchange(stage.server, Self.read).status == 200)
    }
  }

  @Test("an outage as `silence` sends nothing, and resets the connection at its end")
  func silence() async throws {
    try await withStage { stage in
      let kept = try stage.server.usedConnection()
      _ = try network(stage, #"{"state":"offline","as":"silence"}"#)
      try kept.send(Stage.write)
      try #require(await stage.server.journalBecomes { $0.last?.network == .offline })
      #expect(try stage.requests().last?["outcome"] == "pending" && kept.available().isEmpty)
      #expect(try stage.spots() == 43)
      _ = try network(stage, #"{"state":"online"}"#)
      #expect(kept.rest() == ("", .reset))
    }
  }

  @Test("the state `held` performs requests, and holds their responses until the network is online")
  func held() async throws {
    try await withStage { stage in
      #expect(try network(stage, #"{"state":"held"}"#) == ["state": "held"])
      let clients = try (0..<3).map { _ in try WireConnection(stage.server.port) }
      for client in clients { try client.send(Stage.write) }
      try #require(await stage.server.journalBecomes { $0.count { $0.network == .held } == 3 })
      #expect(try stage.spots() == 40, "they were applied")
      #expect(clients.allSatisfy { $0.available().isEmpty })
      clients[0].hangUp()
      _ = try network(stage, #"{"state":"online"}"#)
      // Until then it may have closed its sending side only.
      try #require(await stage.server.journalBecomes { $0.first?.outcome == .peerGone }, "a peer is let go")
      for client in clients.dropFirst() { #expect(try client.response().text == Stage.written) }
      #expect(try stage.requests().dropFirst().allSatisfy { $0["outcome"] == "sent" && $0["n"] != .null })
    }
  }

  @Test("a response whose delay ends while the network is held is not counted in the measured delays")
  func heldDelay() async throws {
    try await withStage(#"{"effect":{"latency":"5ms"}}"#) { stage in
      _ = try network(stage, #"{"state":"held"}"#)
      let client = try WireConnection(stage.server.port)
      try client.send(Self.read)
      try #require(await stage.server.journalBecomes { $0.last?.network == .held })
      _ = try network(stage, #"{"state":"online"}"#)
      #expect(try client.response().status == 200)
      #expect(try stage.json("/_mock/report?format=json")["delays", "measured", "count"] == 0)
    }
  }

  @Test("the state `held` ends when the sandbox is deleted or the server stops")
  func heldEnds() async throws {
    try await withStage { stage in
      _ = try stage.json("/_mock/sandboxes", "POST", #"{"name":"cellar"}"#)
      for base in ["/@cellar", ""] { _ = try network(stage, #"{"state":"held"}"#, at: base) }
      let (deleted, stopped) = (try WireConnection(stage.server.port), try WireConnection(stage.server.port))
      try deleted.send(wire("GET", "/@cellar/users/1"))
      try stopped.send(Self.read)
      try #require(await stage.server.journalBecomes { $0.last?.network == .held })
      _ = try stage.json("/_mock/sandboxes/cellar", "DELETE")
      #expect(try deleted.response().status == 200)
      await stage.server.stop()
      #expect(stopped.rest().text.isEmpty)
    }
  }

  @Test("the duration of a state follows the sandbox's clock: freezing stops it, and an advance shortens it")
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
      #expect(await stage.server.becomes { $0.application.state.sandboxes["cellar"]?.traffic.network.isOnline == true })
      #expect(try exchange(stage.server, Self.read, port: port).status == 200)
      #expect(try stage.json("/@cellar/_mock/network") == ["state": "online"])
    }
  }

  @Test("the sandbox stays offline after the duration while another server has its port")
  func portTaken() async throws {
    try await withStage { stage in
      let made = try stage.json("/_mock/sandboxes", "POST", #"{"name":"cellar","port":0}"#)
      let port = try #require(made["port"]?.int)
      _ = try stage.json("/@cellar/_mock/clock", "PATCH", #"{"frozen":true}"#)
      _ = try network(stage, #"{"state":"offline","as":"refused","for":"30s"}"#, at: "/@cellar")
      var options = MockServer.Options()
      options.port = port
      let other = try await MockServer.start(options)
      _ = try stage.json("/@cellar/_mock/clock", "PATCH", #"{"advance":"30s"}"#)
      #expect(try stage.json("/@cellar/_mock/network") == ["state": "offline", "as": "reset"])
      let event = try stage.json("/@cellar/_mock/journal")["entries"]?.array?.last?["event"]?.string ?? ""
      #expect(event.hasPrefix("the network stays offline: The server cannot listen on port \(port): "), "\(event)")
      #expect(try action(of: wire("GET", "/@cellar/users/1"), stage) == .reset)
      let patch = wire("PATCH", "/@cellar/_mock/network", body: #"{"state":"online"}"#)
      let response = try exchange(stage.server, patch)
      #expect(response.status == 409 && response.text.contains("port-unavailable"), "\(response.text)")
      await other.stop()
      #expect(try network(stage, #"{"state":"online"}"#, at: "/@cellar") == ["state": "online"])
      #expect(try exchange(stage.server, Self.read, port: port).status == 200)
    }
  }

  static let refusedPatches: [(body: String, pointer: String)] = [
    (#"{"state":"down"}"#, "/state"), (#"{"state":"offline","as":"slow"}"#, "/as"),
    (#"{"state":"offline","for":"30"}"#, "/for"),
    (#"{"state":"offline","for":"0s"}"#, "/for"), (#"{"offline":true}"#, "/offline"),
  ]

  @Test("an invalid patch is refused with its position, and changes nothing", arguments: refusedPatches)
  func isStrict(body: String, pointer: String) async throws {
    try await withStage { stage in
      let response = try exchange(stage.server, wire("PATCH", "/_mock/network", body: body))
      let errors = try JSONValue(parsing: response.body)["errors"]?.array ?? []
      #expect(response.status == 400 && errors.first?["pointer"] == .string(pointer), "\(response.text)")
      #expect(try stage.json("/_mock/network") == ["state": "online"])
    }
  }

  @Test(
    "a patch that contradicts the state is refused as a conflict, and changes nothing",
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

  @Test("the report's offline time counts each outage once")
  func timeOffline() throws {
    let loop = try VirtualLoop()
    _ = try loop.ask(wire("PATCH", "/_mock/network", body: #"{"state":"offline","for":"40s"}"#))
    let sandbox = try #require(loop.application.state.sandboxes[nil])
    let start = loop.application.realTime
    #expect(loop.turn { sandbox.traffic.network.isOnline })
    #expect(loop.application.realTime - start <= .seconds(40), "it ended in time")
    #expect(sandbox.timeOffline(at: loop.application.realTime + .seconds(9)) == .seconds(40))
    sandbox.arm(.calm, seed: 2, at: loop.application.realTime)
    #expect(
      sandbox.timeOffline(at: loop.application.realTime) == .seconds(40), "arming does not count the outage twice")
  }
}

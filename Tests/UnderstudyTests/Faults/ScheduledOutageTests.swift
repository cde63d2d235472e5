import Faults
import JSON
import Report
import Testing

@testable import Understudy

@Suite("A scheduled outage")
struct ScheduledOutageTests {
  private static let read = wire("GET", "/users/1")

  private static func rule(_ outage: String) -> String {
    #"{"name":"tunnel","when":{"from":"10s","until":"20s","every":"1m"},"effect":{"offline":"\#(outage)"}}"#
  }

  /// Makes the sandbox `cellar` with its own port and a frozen clock, and returns the port.
  private static func makeCellar(_ stage: Stage, _ outage: String) throws -> Int {
    let made = try stage.json("/_mock/sandboxes", "POST", #"{"name":"cellar","port":0}"#)
    _ = try stage.json("/@cellar/_mock/clock", "PATCH", #"{"frozen":true}"#)
    _ = try stage.json("/@cellar/_mock/scenario", "PUT", #"{"name":"test","rules":[\#(rule(outage))]}"#)
    return try #require(made["port"]?.int)
  }

  private static func advance(_ stage: Stage, to outage: Outage?) async throws {
    _ = try stage.json("/@cellar/_mock/clock", "PATCH", #"{"advance":"10s"}"#)
    try #require(
      await stage.server.becomes { $0.application.state.sandboxes["cellar"]?.traffic.scheduledOutage == outage },
      "\(outage as Any)"
    )
  }

  @Test("as `refused` closes the sandbox's own port from its beginning to its end")
  func refused() async throws {
    try await withStage { stage in
      let port = try Self.makeCellar(stage, "refused")
      let kept = try WireConnection(port)
      try kept.send(Self.read)
      #expect(try kept.response().status == 200)
      try await Self.advance(stage, to: .refused)
      #expect(kept.rest() == ("", .reset))
      #expect(throws: WireConnection.Failure.self) { try WireConnection(port) }
      let other = try WireConnection(stage.server.port)
      try other.send(wire("GET", "/@cellar/users/1"))
      #expect(other.rest() == ("", .reset), "by the main port")
      #expect(try exchange(stage.server, Self.read).status == 200, "another sandbox")
      try await Self.advance(stage, to: nil)
      #expect(try exchange(stage.server, Self.read, port: port).status == 200)
      for _ in 0..<4 { _ = try stage.json("/@cellar/_mock/clock", "PATCH", #"{"advance":"10s"}"#) }
      try await Self.advance(stage, to: .refused)
      _ = try stage.json("/@cellar/_mock/scenario", "PUT", #""calm""#)
      #expect(try exchange(stage.server, Self.read, port: port).status == 200, "another scenario ends it")
    }
  }

  @Test("as `silence` sends nothing, holds responses that have begun, and resets the connections at its end")
  func silence() async throws {
    try await withStage { stage in
      let port = try Self.makeCellar(stage, "silence")
      let kept = try WireConnection(port)
      try kept.send(Self.read)
      #expect(try kept.response().status == 200)
      try await Self.advance(stage, to: .silence)
      try kept.send(wire("POST", "/book", body: #"{"name":"Ljerka"}"#))
      let fresh = try WireConnection(port)
      try fresh.send(Self.read)
      try #require(
        await stage.server.becomes { $0.application.state.sandboxes["cellar"]?.traffic.journal.lastSeq ?? 0 >= 3 },
        "both arrived")
      #expect(kept.available().isEmpty && fresh.available().isEmpty)
      #expect(try exchange(stage.server, wire("GET", "/@cellar/_mock/state")).text.contains(#""spots":43"#))
      try await Self.advance(stage, to: nil)
      #expect(kept.rest() == ("", .reset) && fresh.rest() == ("", .reset))
      #expect(try exchange(stage.server, Self.read, port: port).status == 200)
      let words = try stage.json("/@cellar/_mock/plan?method=GET&path=/users/1&count=1").text
      #expect(words.contains("offline"), "\(words)")
    }
  }

  @Test("a reset of the sandbox begins its schedule anew, with the port open")
  func reset() async throws {
    try await withStage { stage in
      let port = try Self.makeCellar(stage, "refused")
      try await Self.advance(stage, to: .refused)
      _ = try stage.json("/@cellar/_mock/reset", "POST")
      #expect(try exchange(stage.server, Self.read, port: port).status == 200)
    }
  }

  @Test("of a sandbox without its own port resets connections instead of refusing them")
  func withoutPort() async throws {
    try await withStage(#"{"effect":{"offline":"refused"}}"#) { stage in
      let client = try WireConnection(stage.server.port)
      try client.send(Self.read)
      #expect(client.rest() == ("", .reset))
    }
  }
}

import JSON
import Report
import Testing

@testable import Understudy

@Suite("An exchange under way while its sandbox changes")
struct UnderWayTests {
  private func network(_ stage: Stage, _ patch: String) throws {
    _ = try stage.json("/_mock/network", "PATCH", patch)
  }

  @Test("gets no more bytes, nor events of a stream, during an outage as `silence`, and is reset at its end")
  func silence() async throws {
    let rule = #"{"match":{"path":"/users/1"},"effect":{"fault":"stall","at":"1/2","for":"300ms"}}"#
    try await withStage(rule) { stage in
      let (stalled, stream) = (try WireConnection(stage.server.port), try WireConnection(stage.server.port))
      try stream.send(wire("GET", "/rooms/stream", host: "booking.localhost"))
      let event = try #require(stream.text { $0.contains("\n\n") })
      try stalled.send(wire("GET", "/users/1"))
      let half = try #require(stalled.text { $0.contains("\r\n\r\n{") })
      try network(stage, #"{"state":"offline","as":"silence"}"#)
      _ = try stage.json("/_mock/state", "PATCH", #"{"booking":{"rooms":[]}}"#)
      try #require(await stage.server.journalBecomes { $0.contains { $0.network == .held } }, "the stall is over")
      try network(stage, #"{"state":"online"}"#)
      #expect(stalled.rest() == (half, .reset))
      #expect(stream.rest() == (event, .reset))
    }
  }

  @Test("ends if its peer has left before an outage as `silence` stops it")
  func gone() async throws {
    let rule = #"{"match":{"path":"/users/1"},"effect":{"fault":"stall","at":"1/2","for":"300ms"}}"#
    try await withStage(rule) { stage in
      let client = try WireConnection(stage.server.port)
      try client.send(wire("GET", "/users/1"))
      _ = try #require(client.text { $0.contains("\r\n\r\n{") })
      try network(stage, #"{"state":"offline","as":"silence"}"#)
      client.finishWriting()
      #expect(await stage.server.journalBecomes { $0.first?.outcome == .peerGone })
    }
  }

  @Test("is held if a planned silence after its change ends while the network is held, and that silence is a delay")
  func held() async throws {
    let rule = #"{"match":{"changes":true},"phase":"after","effect":{"fault":"hang","for":"200ms"}}"#
    try await withStage(rule) { stage in
      let client = try WireConnection(stage.server.port)
      try client.send(Stage.write)
      try network(stage, #"{"state":"held"}"#)
      try #require(await stage.server.journalBecomes { $0.contains { $0.network == .held } })
      #expect(try stage.spots() == 42 && client.available().isEmpty)
      try network(stage, #"{"state":"online"}"#)
      #expect(try client.response().text == Stage.written)
      #expect(try exchange(stage.server, Stage.write).text == Stage.written)
      let delays = try stage.json("/_mock/report?format=json")["delays"]
      #expect(delays?["planned", "count"] == 1 && delays?["early"] == 0)
    }
  }

  @Test("does not change the data after a reset, if it is a write that waited for its turn")
  func reset() async throws {
    let rule = #"{"name":"slow","match":{"changes":true},"when":{"first":1},"effect":{"latency":"300ms"}}"#
    try await withStage(rule) { stage in
      let client = try WireConnection(stage.server.port)
      try client.send(Stage.write)
      try #require(await stage.server.journalBecomes { $0.count == 1 })
      _ = try stage.json("/_mock/reset", "POST")
      let response = try client.response()
      #expect(response.status == 409 && response.text.contains("reset-meanwhile"))
      #expect(try stage.spots() == 43)
      #expect(try stage.requests().isEmpty)
      let checks = try #require(try stage.json("/_mock/report?final=true&format=json")["checks"]?.array)
      #expect(checks.allSatisfy { $0["verdict"] != "fail" })
    }
  }
}

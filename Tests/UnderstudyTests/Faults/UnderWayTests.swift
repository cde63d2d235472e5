import JSON
import Primitives
import Report
import Services
import Testing

@testable import Understudy

/// The time is virtual, so that each change comes before the exchange goes on.
@Suite("An exchange under way while its sandbox changes")
struct UnderWayTests {
  private static let paced = #"{"match":{"path":"/users/1"},"effect":{"pace":{"bytesPerSecond":200,"chunk":100}}}"#

  /// Returns a client that has sent a request and received a part of its response.
  private func client(of loop: VirtualLoop, sending request: String) throws -> WireConnection {
    let client = try WireConnection(loop.port)
    try client.send(request)
    #expect(loop.turn { !client.available().isEmpty })
    return client
  }

  private func control(_ loop: VirtualLoop, _ method: String, _ path: String, _ body: String? = nil) throws {
    let response = try loop.ask(wire(method, "/_mock/" + path, body: body))
    #expect(response.status < 300, "\(response.text)")
  }

  private func spots(_ loop: VirtualLoop) -> Int? {
    loop.application.state.sandboxes[nil]?.state.store.record("Ljerka", of: "booking")?["spots"]?.int
  }

  private func isRetained(_ loop: VirtualLoop) -> Bool {
    loop.journal.entries(after: 0, limit: .max).contains { $0.network == .held }
  }

  @Test("gets no more bytes, nor events of a stream, during an outage as `silence`, and is reset at its end")
  func silence() throws {
    let loop = try VirtualLoop(Self.paced)
    let stream = try client(of: loop, sending: wire("GET", "/rooms/stream", host: "booking.localhost"))
    let clients = [stream, try client(of: loop, sending: wire("GET", "/users/1"))]
    try control(loop, "PATCH", "network", #"{"state":"offline","as":"silence"}"#)
    let received = clients.map { String(decoding: $0.available(), as: UTF8.self) }
    try control(loop, "PATCH", "state", #"{"booking":{"rooms":[]}}"#)
    let began = loop.now
    // A stream shows signs of life every fifteen seconds.
    #expect(loop.turn { loop.now - began > .seconds(20) } && isRetained(loop))
    try control(loop, "PATCH", "network", #"{"state":"online"}"#)
    #expect(loop.turn { loop.connections.isEmpty })
    for (client, text) in zip(clients, received) { #expect(client.rest() == (text, .reset)) }
  }

  @Test(
    "ends as soon as an outage as `silence` stops it, if its peer has left or the server stops",
    arguments: [false, true])
  func silenceEnds(isDraining: Bool) throws {
    let loop = try VirtualLoop(Self.paced)
    let client = try client(of: loop, sending: wire("GET", "/users/1"))
    try control(loop, "PATCH", "network", #"{"state":"offline","as":"silence"}"#)
    if isDraining { loop.loop.stop { _ in } } else { client.finishWriting() }
    let outcome = isDraining ? ExchangeOutcome.cut : .peerGone
    #expect(
      loop.turn(within: .seconds(2)) { loop.journal.entries(after: 0, limit: .max).contains { $0.outcome == outcome } })
  }

  @Test("is held if a planned silence after its change ends while the network is held, and that silence is a delay")
  func held() throws {
    let loop = try VirtualLoop(#"{"match":{"changes":true},"phase":"after","effect":{"fault":"hang","for":"2s"}}"#)
    let client = try WireConnection(loop.port)
    try client.send(Stage.write)
    #expect(loop.turn { spots(loop) == 42 })
    try control(loop, "PATCH", "network", #"{"state":"held"}"#)
    #expect(loop.turn { isRetained(loop) } && client.available().isEmpty)
    try control(loop, "PATCH", "network", #"{"state":"online"}"#)
    #expect(try loop.response(to: client).text == Stage.written)
    #expect(try loop.ask(Stage.write).text == Stage.written)
    let report = try loop.ask(wire("GET", "/_mock/report?format=json"))
    let delays = try JSONValue(parsing: report.body)["delays"]
    #expect(delays?["planned", "count"] == 1 && delays?["early"] == 0, "one of the two was held")
  }

  @Test("does not change the data after a reset, if it is a write that waits to be performed")
  func reset() throws {
    let loop = try VirtualLoop(#"{"match":{"changes":true},"effect":{"latency":"2s"}}"#)
    let client = try WireConnection(loop.port)
    try client.send(Stage.write)
    #expect(loop.turn { loop.connections.contains { $0.connection.wakeUp != nil } })
    let before = spots(loop)
    try control(loop, "POST", "reset")
    let response = try loop.response(to: client)
    #expect(response.status == 409 && response.text.contains("reset-meanwhile"))
    #expect(before == 43 && spots(loop) == 43)
    let report = try loop.ask(wire("GET", "/_mock/report?final=true&format=json"))
    let checks = try #require(try JSONValue(parsing: report.body)["checks"]?.array)
    #expect(checks.allSatisfy { $0["verdict"] != "fail" })
  }
}

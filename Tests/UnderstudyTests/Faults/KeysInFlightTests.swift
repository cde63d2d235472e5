import JSON
import Primitives
import Report
import Testing

@testable import Understudy

@Suite("Idempotency keys and lost responses")
struct KeysInFlightTests {
  private func booking(_ fields: String..., name: String = "Ljerka") -> String {
    let text = "{\"name\":\"\(name)\"}"
    return "POST /book HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(text.utf8.count)\r\nIdempotency-Key: k\r\n"
      + fields.map { $0 + "\r\n" }.joined() + "\r\n" + text
  }

  @Test(
    "a retry after a lost response gets the stored one, and is not applied again",
    arguments: [
      "reset", "reset-bare", "empty", "truncate", "garbage", "bad-chunk", "corrupt", "captive-portal",
    ])
  func retries(fault: String) async throws {
    try await withStage(#"{"when":{"first":1},"phase":"after","effect":{"fault":"\#(fault)"}}"#) { stage in
      let before = try stage.spots()
      let first = try WireConnection(stage.server.port)
      try first.send(booking("Connection: close"))
      _ = first.rest()
      #expect(try stage.spots() == before - 1)
      let retry = try exchange(stage.server, booking())
      #expect(retry.text == "{\"success\":true}")
      #expect(try stage.spots() == before - 1)
      let entries = try stage.requests()
      #expect(entries.map { $0["applied"] } == [true, false])
    }
  }

  @Test("a fault before the commit stores no response, so that the retry is applied")
  func forgets() async throws {
    try await withStage(#"{"when":{"first":1},"effect":{"fault":"truncate"}}"#) { stage in
      let before = try stage.spots()
      let first = try WireConnection(stage.server.port)
      try first.send(booking())
      #expect(first.rest().text.contains("\"succ"))
      #expect(try stage.spots() == before)
      #expect(try exchange(stage.server, booking()).status == 200)
      #expect(try stage.spots() == before - 1)
    }
  }

  @Test("an injected 503 after the commit leaves the original response stored")
  func storesSoundReply() async throws {
    try await withStage(#"{"when":{"first":1},"phase":"after","effect":{"status":503}}"#) { stage in
      let before = try stage.spots()
      #expect(try exchange(stage.server, booking()).status == 503)
      #expect(try exchange(stage.server, booking()).status == 200)
      #expect(try stage.spots() == before - 1)
    }
  }

  @Test(
    "a key in flight is refused with 409, and with another body with 422",
    arguments: [
      #"{"latency":"1h"}"#, #"{"fault":"hang","for":"1h"}"#,
    ])
  func inFlight(effect: String) async throws {
    try await withStage(#"{"when":{"first":1},"effect":\#(effect)}"#) { stage in
      let before = try stage.spots()
      let waiting = try WireConnection(stage.server.port)
      try waiting.send(booking())
      #expect(await stage.server.journalBecomes { $0.count == 1 })
      let second = try exchange(stage.server, booking())
      #expect(second.status == 409)
      #expect(second.text.contains("idempotency-key-in-flight"))
      #expect(try exchange(stage.server, booking(name: "Mina")).status == 422)
      #expect(try stage.spots() == before)
      waiting.reset()
      #expect(await stage.server.journalBecomes { $0.first?.outcome == .peerGone })
      #expect(try exchange(stage.server, booking()).status == 200, "the key is not in flight any more")
      #expect(try stage.spots() == before - 1)
      #expect(try stage.requests().map { $0["applied"] } == [false, false, false, true])
    }
  }

  @Test("a delayed request is applied after its delay, and retries then get its response")
  func appliesInTime() async throws {
    try await withStage(#"{"when":{"first":1},"effect":{"latency":"300ms"}}"#) { stage in
      let before = try stage.spots()
      let waiting = try WireConnection(stage.server.port)
      try waiting.send(booking())
      #expect(await stage.server.journalBecomes { $0.count == 1 })
      let meanwhile = try exchange(stage.server, booking()).status
      #expect(try waiting.response().status == 200)
      #expect([200, 409].contains(meanwhile), "200 if this thread was late")
      #expect(try exchange(stage.server, booking()).status == 200)
      #expect(try stage.spots() == before - 1)
    }
  }

  @Test("a reset releases the keys in flight, and their later outcomes have no effect")
  func reset() async throws {
    try await withStage(#"{"when":{"first":1},"effect":{"latency":"1h"}}"#) { stage in
      let waiting = try WireConnection(stage.server.port)
      try waiting.send(booking())
      #expect(await stage.server.journalBecomes { $0.count == 1 })
      _ = try stage.json("/_mock/reset", "POST")
      try stage.arm()
      #expect(try exchange(stage.server, booking()).status == 200)
      waiting.reset()
      #expect(await stage.server.becomes { $0.connections.count == 0 })
      #expect(try exchange(stage.server, booking()).status == 200)
      #expect(try stage.requests().map { $0["applied"] } == [true, false])
    }
  }

  @Test("a key is not in flight if its request is applied and only its response is delayed")
  func afterCommit() async throws {
    try await withStage(#"{"when":{"first":1},"phase":"after","effect":{"latency":"1h"}}"#) { stage in
      let waiting = try WireConnection(stage.server.port)
      try waiting.send(booking())
      #expect(await stage.server.journalBecomes { $0.count == 1 })
      #expect(try exchange(stage.server, booking()).status == 200)
      waiting.reset()
      #expect(await stage.server.journalBecomes { $0.first?.outcome == .peerGone })
      #expect(try stage.requests().map { $0["applied"] } == [true, false])
    }
  }
}

import HTTP1
import JSON
import Primitives
import Report
import Testing

@testable import Understudy

@Suite("Faults that end the connection")
struct EndingTests {
  /// A fault that ends the connection, the bytes before the end, the kind of end, and its name in the journal.
  struct TransportFault: Sendable, CustomTestStringConvertible {
    let effect: String
    let isReset: Bool
    /// Takes the body without a fault.
    let expected: @Sendable (String) -> Expected
    var testDescription: String { effect }

    enum Expected {
      case nothing, statusLine
      case bodyPrefix(Int)
    }
  }

  static let endings = [
    TransportFault(effect: #"{"fault":"reset"}"#, isReset: true) { _ in .statusLine },
    TransportFault(effect: #"{"fault":"reset-bare"}"#, isReset: true) { _ in .nothing },
    TransportFault(effect: #"{"fault":"empty"}"#, isReset: false) { _ in .nothing },
    TransportFault(effect: #"{"fault":"truncate"}"#, isReset: false) { .bodyPrefix($0.utf8.count / 2) },
    TransportFault(effect: #"{"fault":"truncate","at":"1/1"}"#, isReset: false) { .bodyPrefix($0.utf8.count - 1) },
    TransportFault(effect: #"{"fault":"truncate","at":"0/1"}"#, isReset: false) { _ in .bodyPrefix(0) },
    TransportFault(effect: #"{"fault":"hang","for":"20ms","then":"reset"}"#, isReset: true) { _ in .nothing },
    TransportFault(effect: #"{"fault":"hang","for":"20ms","then":"close"}"#, isReset: false) { _ in .nothing },
    TransportFault(effect: #"{"fault":"stall","at":"1/4","for":"20ms","then":"reset"}"#, isReset: true) {
      .bodyPrefix($0.utf8.count / 4)
    },
    TransportFault(effect: #"{"fault":"stall","at":"1/4","for":"20ms","then":"close"}"#, isReset: false) {
      .bodyPrefix($0.utf8.count / 4)
    },
  ]

  @Test(
    "end the response to a write at their position, with and without the write",
    arguments: endings, ["before", "after"])
  func ends(ending: TransportFault, phase: String) async throws {
    try await withStage { stage in
      let calm = Stage.written
      try stage.arm(#"{"match":{"method":["POST"]},"phase":"\#(phase)","effect":\#(ending.effect)}"#)
      let client = try WireConnection(stage.server.port)
      try client.send(Stage.write)
      let (text, end) = client.rest()
      #expect(end == (ending.isReset ? .reset : .finished("")))
      let entry = try stage.lastEntry()
      switch ending.expected(calm) {
      case .nothing:
        #expect(text.isEmpty)
        #expect(entry["response"] == JSONValue.null)
      case .statusLine:
        #expect(text == "HTTP/1.1 200 OK\r\n")
        #expect(entry["response", "bytes"] == 0)
      case .bodyPrefix(let count):
        let parts = text.components(at: "\r\n\r\n")
        #expect(parts.head.contains("Content-Length: \(calm.utf8.count)"))
        #expect(parts.body == String(decoding: Array(calm.utf8).prefix(count), as: UTF8.self))
        #expect(entry["response", "bytes"]?.int == count)
        #expect(entry["response", "of"]?.int == calm.utf8.count)
      }
      #expect(entry["outcome"] == (ending.isReset ? "reset" : "closed"))
      try checkPhase(stage, entry, phase)
    }
  }

  private func checkPhase(_ stage: Stage, _ entry: JSONValue, _ phase: String) throws {
    #expect(try stage.isChanged() == (phase == "after"))
    #expect(entry["applied"] == .bool(phase == "after"))
    #expect((entry["versions"] != nil) == (phase == "after"))
    #expect(entry["plan", "phase"] == .string(phase))
    #expect(entry["plan", "words"]?.string?.hasSuffix("\(phase) commit") == true)
  }

  @Test("send all of their bytes before FIN, for garbage and broken chunks", arguments: ["before", "after"])
  func garbles(phase: String) async throws {
    for fault in ["garbage", "bad-chunk"] {
      let rule = #"{"phase":"\#(phase)","match":{"method":["POST"]},"effect":{"fault":"\#(fault)"}}"#
      try await withStage(rule) { stage in
        let client = try WireConnection(stage.server.port)
        try client.send(Stage.write)
        let (text, end) = client.rest()
        #expect(end == .finished(""))
        if fault == "garbage" {
          #expect(!text.contains("HTTP") && !text.isEmpty)
        } else {
          #expect(text.contains("Transfer-Encoding: chunked\r\n") && !text.contains("Content-Length"))
          #expect(!text.hasSuffix("\r\n0\r\n\r\n"))
        }
        let entry = try stage.lastEntry()
        #expect(entry["outcome"] == "closed")
        try checkPhase(stage, entry, phase)
      }
    }
  }

  @Test(
    "delay a complete response if the fault's time is limited",
    arguments: [
      #"{"fault":"hang","for":"50ms"}"#, #"{"fault":"stall","at":"1/3","for":"50ms"}"#,
    ], ["before", "after"])
  func goesOn(effect: String, phase: String) async throws {
    try await withStage(#"{"match":{"method":["POST"]},"phase":"\#(phase)","effect":\#(effect)}"#) { stage in
      let client = try WireConnection(stage.server.port)
      let took = try await time {
        try client.send(Stage.write)
        #expect(try client.response().text.contains("success"))
      }
      #expect(took >= .milliseconds(50))
      #expect(try stage.isChanged(), "a success response is only sent for an applied write")
      #expect(try stage.lastEntry()["outcome"] == "sent")
      try client.send(wire("GET", "/users/1"))
      #expect(try client.response().status == 200, "the connection stays open")
    }
  }

  @Test(
    "are silent until the peer leaves, even if the fault's time is limited",
    arguments: [
      (#"{"fault":"hang"}"#, 0), (#"{"fault":"hang","for":"1h"}"#, 0), (#"{"fault":"stall","at":"0/1"}"#, 1),
      (#"{"fault":"stall","at":"0/1","for":"1h"}"#, 1), (#"{"fault":"hang","for":"1h","then":"reset"}"#, 0),
    ])
  func lastsUntilGivenUp(effect: String, heads: Int) async throws {
    try await withStage(#"{"match":{"path":"/devices"},"effect":\#(effect)}"#) { stage in
      let client = try WireConnection(stage.server.port)
      try client.send(wire("GET", "/devices"))
      try await stage.waitForSilence()
      #expect(String(decoding: client.available(), as: UTF8.self).hasSuffix("\r\n\r\n") == (heads == 1))
      #expect(try stage.lastEntry()["outcome"] == "pending")
      client.hangUp()
      #expect(await stage.server.journalBecomes { $0.last?.outcome == .peerGone })
    }
  }

  @Test(
    "do not delay a drain with their silence",
    arguments: [
      #"{"fault":"hang"}"#, #"{"fault":"hang","for":"1h"}"#, #"{"fault":"stall","for":"1h"}"#,
    ])
  func drainCuts(effect: String) async throws {
    try await withStage(
      #"{"match":{"path":"/devices"},"effect":\#(effect)}"#, change: { $0.timeouts.drain = .seconds(60) }
    ) { stage in
      let client = try WireConnection(stage.server.port)
      try client.send(wire("GET", "/devices"))
      try await stage.waitForSilence()
      stage.server.beginStopping()
      #expect(client.rest().end == .finished(""))
      client.hangUp()
    }
  }

  @Test("send the responses before the fault, and none to the requests after it")
  func pipelined() async throws {
    try await withStage(#"{"match":{"path":"/users/2"},"effect":{"fault":"empty"}}"#) { stage in
      let client = try WireConnection(stage.server.port)
      try client.send((1...3).map { wire("GET", "/users/\($0)") }.joined())
      #expect(try client.response().text.contains("Leanne"))
      #expect(client.end() == .finished(""))
      #expect(try stage.requests().map { $0["outcome"] } == ["sent", "closed"])
    }
  }
}

extension String {
  /// Returns the parts before and after the first occurrence of a text; all of the text and nothing if there is none.
  func components(at separator: String) -> (head: String, body: String) {
    let bytes = Array(utf8)
    guard let range = bytes.firstRange(of: Array(separator.utf8)) else { return (self, "") }
    return (
      String(decoding: bytes[..<range.upperBound], as: UTF8.self),
      String(decoding: bytes[range.upperBound...], as: UTF8.self)
    )
  }
}

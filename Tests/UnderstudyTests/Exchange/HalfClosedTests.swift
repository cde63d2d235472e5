import Foundation
import HTTP1
import JSON
import LiveTesting
import Primitives
import Report
import Testing

@testable import Understudy

@Suite("A client that sends nothing more after its request, and still reads", .live)
struct HalfClosedTests {
  private static let created = ScriptedBackend.response("201 Created", #"{"id":1}"#)

  /// Returns a client whose FIN the server has read.
  private func client(of server: MockServer, sending text: String) async throws -> WireConnection {
    let client = try WireConnection(server.port)
    try client.send(text)
    client.finishWriting()
    try #require(await server.becomes { $0.connections.all.contains { $0.connection.http.hasPeerFinished } })
    return client
  }

  @Test("gets the response after a delay, and has not left", arguments: ["before", "after"])
  func delayed(phase: String) async throws {
    let rule = #"{"match":{"path":"/book"},"phase":"\#(phase)","effect":{"latency":"50ms"}}"#
    try await withServer { options in
      // A receipt that is not seen ends no exchange.
      options.timeouts.linger = .seconds(3_600)
    } _: { server in
      let stage = Stage(server: server)
      try stage.arm(rule)
      let client = try await client(of: server, sending: Stage.write + Stage.write)
      let (text, end) = client.rest()
      #expect(text.components(separatedBy: Stage.written).count == 3 && end == .finished(""))
      #expect(await server.journalBecomes { $0.count == 2 && $0.allSatisfy { $0.outcome == .sent } })
    }
  }

  @Test("gets the answer of a backend, and has not left")
  func asked() async throws {
    let mayAnswer = DispatchSemaphore(value: 0)
    let backend = try ScriptedBackend { _, link in
      mayAnswer.wait()
      link.send(Array(Self.created.utf8))
    }
    try await Stage.inFrontOf(backend) { stage in
      let client = try await client(of: stage.server, sending: wire("POST", "/orders", body: "{}"))
      mayAnswer.signal()
      let (text, end) = client.rest()
      #expect(text.hasSuffix(#"{"id":1}"#) && end == .finished(""))
      let entry = try await stage.lastEnded()
      #expect(entry["outcome"] == "sent" && entry["applied"] == true && entry["upstream", "late"] == nil)
    }
  }

  @Test("is told from one that has left by the reset with which that answers")
  func left() async throws {
    let clock = ManualClock()
    try await withServer { options in
      options.clocks = clock.clocks
    } _: { server in
      try Stage(server: server).arm(#"{"match":{"path":"/book"},"effect":{"latency":"1h"}}"#)
      let client = try await client(of: server, sending: Stage.write)
      client.hangUp()
      await clock.advance(by: .seconds(3_600), server)
      #expect(await server.journalBecomes { $0.last?.outcome == .peerGone })
    }
  }
}

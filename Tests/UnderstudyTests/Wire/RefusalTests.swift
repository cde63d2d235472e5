import HTTP1
import LiveTesting
import Primitives
import Testing

@testable import Understudy

@Suite("Refused requests over sockets")
struct RefusalTests {
  @Test(
    "invalid requests get a problem, then FIN, and never RST", arguments: PollerKind.allCases,
    IncompleteRequestTests.Refused.all)
  func malformed(poller: PollerKind, refused: IncompleteRequestTests.Refused) async throws {
    try await withServer(using: poller) { server in
      let client = try WireConnection(server.port)
      // More bytes follow than the kernel's buffers hold: a server that simply closed would send RST.
      try client.send(Array(refused.bytes("POST", "/devices").utf8) + [UInt8](repeating: 0x41, count: 300_000))
      let response = try client.response()
      #expect(response.status == refused.status)
      #expect(response["Content-Type"] == "application/problem+json")
      #expect(response["Connection"] == "close")
      #expect(response["Date"] != nil)
      #expect(response["Access-Control-Allow-Origin"] == "*")
      #expect(response.text.contains("\"status\":\(refused.status)"))
      try client.send([UInt8](repeating: 0x42, count: 100_000))
      #expect(client.end() == .finished(""))
      client.hangUp()
      #expect(await server.becomes { $0.connections.count == 0 })
    }
  }
}

import JSON
import Primitives
import Testing

@testable import Understudy

@Suite("Responses that were not sent")
struct LostReplyTests {
  @Test("are marked in the journal of their own sandbox, and in no other")
  func ownSandbox() async throws {
    try await withStage { stage in
      _ = try stage.json("/_mock/sandboxes", "POST", #"{"name":"other"}"#)
      let client = try WireConnection(stage.server.port, receiveBuffer: 4_096)
      let piece = Array(String(repeating: wire("GET", "/users"), count: 200).utf8)
      while client.sendWithoutWaiting(piece) > 0 {}
      try #require(await stage.server.becomes { $0.connections.unsentBytes > 0 })
      for _ in 1...200 { _ = try exchange(stage.server, wire("GET", "/@other/users/1")) }
      client.reset()
      #expect(await stage.server.becomes { $0.connections.count == 0 })
      #expect(try stage.requests().contains { $0["outcome"] == "peer gone" })
      let other = try #require(try stage.json("/@other/_mock/journal")["entries"]?.array)
      #expect(other.allSatisfy { $0["outcome"] == "sent" })
    }
  }

  @Test("are marked in their own journals after pipelined requests to two sandboxes")
  func twoSandboxes() async throws {
    try await withStage { stage in
      _ = try stage.json("/_mock/sandboxes", "POST", #"{"name":"other"}"#)
      _ = try exchange(stage.server, wire("GET", "/@other/users/1"))
      let client = try WireConnection(stage.server.port, receiveBuffer: 4_096)
      let piece = Array((String(repeating: wire("GET", "/users"), count: 20) + wire("GET", "/@other/users")).utf8)
      while client.sendWithoutWaiting(piece) > 0 {}
      try #require(await stage.server.becomes { $0.connections.unsentBytes > 0 })
      client.reset()
      #expect(await stage.server.becomes { $0.connections.count == 0 })
      let other = try #require(try stage.json("/@other/_mock/journal")["entries"]?.array)
      #expect(other.first { $0["id"] == 1 }?["outcome"] == "sent", "it was sent long before")
      #expect(try stage.requests().first?["outcome"] == "sent")
    }
  }
}

import JSON
import Primitives
import Testing

@testable import Understudy

@Suite("Faults at every byte position")
struct ByteSweepTests {
  private func calmBody(_ stage: Stage) throws -> [UInt8] {
    try exchange(stage.server, wire("GET", Stage.device)).body
  }

  @Test("send the head, exactly the given number of bytes, and then FIN with truncate")
  func truncates() async throws {
    try await withStage { stage in
      let body = try calmBody(stage)
      let count = body.count
      try stage.arm(
        (0..<count).map { k in
          #"{"when":{"requests":"\#(k + 1)...\#(k + 1)"},"effect":{"fault":"truncate","at":"\#(k)/\#(count)"}}"#
        })
      for k in 0..<count {
        let client = try WireConnection(stage.server.port)
        try client.send(wire("GET", Stage.device))
        let (text, end) = client.rest()
        let parts = text.components(at: "\r\n\r\n")
        #expect(end == .finished(""))
        #expect(parts.head.contains("Content-Length: \(count)\r\n"))
        #expect(Array(parts.body.utf8) == Array(body.prefix(k)))
        client.hangUp()
      }
      let bytes = try stage.journal().suffix(count).compactMap { $0["response", "bytes"]?.int }
      #expect(bytes == Array(0..<count))
    }
  }

  @Test("send the head, exactly the given number of bytes, and then nothing with stall")
  func stalls() async throws {
    try await withStage { stage in
      let body = try calmBody(stage)
      for k in 0..<body.count {
        let client = try WireConnection(stage.server.port)
        try client.send(wire("GET", Stage.device, "Prefer: fault=stall; at=\"\(k)/\(body.count)\""))
        try await stage.waitForSilence()
        let parts = String(decoding: client.available(), as: UTF8.self).components(at: "\r\n\r\n")
        #expect(parts.head.contains("Preference-Applied: fault=stall\r\n"))
        #expect(Array(parts.body.utf8) == Array(body.prefix(k)))
        client.reset()
        try #require(await stage.server.becomes { $0.connections.count == 0 })
      }
      #expect(try stage.requests().dropFirst().allSatisfy { $0["outcome"] == "peer gone" })
    }
  }

  @Test("change no byte with pace, for every size of a piece")
  func paces() async throws {
    try await withStage { stage in
      let calm = try exchange(stage.server, wire("GET", Stage.device))
      let whole = calm.head.utf8.count + calm.body.count
      let pieces = 1...whole + 1
      let client = try WireConnection(stage.server.port)
      for first in stride(from: 1, through: pieces.count, by: 500) {
        let sizes = first...min(first + 499, pieces.count)
        try stage.arm(
          sizes.enumerated().map { index, size in
            let when = "{\"requests\":\"\(index + 1)...\(index + 1)\"}"
            return #"{"when":\#(when),"effect":{"pace":{"bytesPerSecond":5000000,"chunk":\#(size)}}}"#
          })
        for _ in sizes {
          try client.send(wire("GET", Stage.device))
          let response = try client.response()
          #expect(response.body == calm.body)
          #expect(response["Understudy-Fault"]?.hasPrefix("pace 5000000 B/s") == true)
        }
      }
      let entries = try stage.requests().dropFirst()
      #expect(entries.count == pieces.count)
      #expect(entries.allSatisfy { $0["response", "bytes"] == $0["response", "of"] && $0["outcome"] == "sent" })
    }
  }
}

import Foundation
import HTTP1
import JSON
import LiveTesting
import Primitives
import Report
import Testing

@testable import Understudy

@Suite("The connection to a backend", .live)
struct UpstreamConnectionTests {
  @Test("content that is passed on and then cut leaves it unknown whether a write was applied")
  func cut() async throws {
    let content = String(repeating: "0123456789", count: 300)
    let whole = ScriptedBackend.response("201 Created", content)
    let backend = try ScriptedBackend { request, link in
      link.send(Array((request.hasPrefix("POST /cut") ? String(whole.dropLast(1_000)) : whole).utf8))
    }
    try await Stage.inFrontOf(backend.url) { options in
      options.maximumBody = 1_000
    } body: { stage in
      #expect(try exchange(stage.server, wire("POST", "/whole", body: "{}")).text == content)
      #expect(await stage.server.journalBecomes { $0.last?.response?.bytes == 3_000 })
      let complete = try await stage.lastEnded()
      #expect(complete["applied"] == true && complete["outcome"] == "sent" && complete["response", "of"] == 3_000)
      let client = try WireConnection(stage.server.port)
      try client.send(wire("POST", "/cut", body: "{}"))
      #expect(client.rest().end == .reset)
      #expect(await stage.server.journalBecomes { $0.last?.outcome == .reset })
      let entry = try #require(try stage.requests().last)
      #expect(entry["applied"] == .null && entry["upstream", "failure"] == "malformed")
      #expect(entry["response", "bytes"]?.int ?? 3_000 <= 2_000 && entry["response", "of"] == 3_000)
    }
  }

  @Test("a write whose content is cut after hundreds of other requests is judged by that end")
  func cutLate() async throws {
    let long = ScriptedBackend.response("201 Created", String(repeating: "0123456789", count: 300))
    let mayEnd = DispatchSemaphore(value: 0)
    let backend = try ScriptedBackend { request, link in
      let isWrite = request.hasPrefix("POST")
      link.send(Array((isWrite ? String(long.dropLast(9)) : ScriptedBackend.response("200 OK", "[]")).utf8))
      if isWrite { mayEnd.wait() }
    }
    try await Stage.inFrontOf(backend.url) { options in
      options.maximumBody = 1_000
    } body: { stage in
      let client = try WireConnection(stage.server.port)
      try client.send(wire("POST", "/orders", "Understudy-Client: shop", body: "{}"))
      #expect(client.text { $0.contains("0123456789") } != nil)
      let other = try WireConnection(stage.server.port)
      for _ in 1...300 {
        try other.send(wire("GET", "/other", "Understudy-Client: other"))
        #expect(try other.response().status == 200)
      }
      _ = try stage.json("/_mock/report")
      mayEnd.signal()
      #expect(client.rest().end == .reset)
      #expect(await stage.server.journalBecomes { $0.contains { $0.outcome == .reset } })
      #expect(try exchange(stage.server, wire("GET", "/orders", "Understudy-Client: shop")).status == 200)
      let checks = try stage.json("/_mock/report")["checks"]?.array
      let card = try #require(checks?.first { $0["id"] == "lost-reply-followed-up" })
      #expect(card["verdict"] == "pass", "\(card)")
    }
  }

  @Test(
    "answers that the network switch holds are bounded together with other responses, and the entries say which were cut"
  )
  func bounded() async throws {
    let (maximum, count) = (1 << 20, 5)
    let content = String(repeating: "0123456789", count: 30_000)
    let backend = try ScriptedBackend(answering: ScriptedBackend.response("200 OK", content))
    try await Stage.inFrontOf(backend) { stage in
      stage.server.jobs.post { $0.connections.maximumUnsentBytes = maximum }
      _ = try stage.json("/_mock/network", "PATCH", #"{"state":"held"}"#)
      let clients = try (1...count).map { number in
        let client = try WireConnection(stage.server.port)
        try client.send(wire("POST", "/orders/\(number)", body: "{}"))
        return client
      }
      // Three such answers are within the limit.
      #expect(await stage.server.journalBecomes { $0.count { $0.outcome == .cut } == count - 3 })
      #expect(await stage.server.becomes { 3 * (256 << 10)..<maximum ~= $0.connections.unsentBytes })
      #expect(try stage.requests().count { $0["remark"]?.string?.contains("too much memory") == true } == count - 3)
      _ = try stage.json("/_mock/network", "PATCH", #"{"state":"online"}"#)
      #expect(clients.count { $0.text { $0.hasSuffix(content) } != nil } == 3)
      #expect(await stage.server.becomes { $0.connections.unsentBytes == 0 })
      #expect(await stage.server.journalBecomes { $0.allSatisfy { $0.isApplied } }, "the backend has answered each")
    }
  }

  @Test("a request that is passed on counts twice, since both messages are stored until the backend has answered")
  func passedRequest() async throws {
    let mayAnswer = DispatchSemaphore(value: 0)
    let backend = try ScriptedBackend { _, link in
      mayAnswer.wait()
      link.send(Array(ScriptedBackend.response("200 OK", "{}").utf8))
    }
    try await Stage.inFrontOf(backend) { stage in
      let client = try WireConnection(stage.server.port)
      try client.send(wire("POST", "/orders", body: String(repeating: "x", count: 50_000)))
      #expect(await stage.server.becomes { 100_000..<102_000 ~= $0.connections.requestBytes })
      mayAnswer.signal()
      #expect(await stage.server.becomes { $0.connections.requestBytes == 0 })
    }
  }

  @Test("content that is passed on to a client that takes none counts with other responses")
  func untaken() async throws {
    let piece = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 20)
    let backend = try ScriptedBackend { _, link in
      link.send(Array("HTTP/1.1 200 OK\r\nContent-Length: \(64 << 20)\r\n\r\n".utf8))
      for _ in 0..<64 { link.send(piece) }
    }
    try await Stage.inFrontOf(backend) { stage in
      let client = try WireConnection(stage.server.port)
      try client.send(wire("GET", "/film"))
      #expect(
        await stage.server.becomes { loop in
          guard let entry = loop.connections.all.first(where: { $0.connection.isStreaming }) else { return false }
          let (held, unsent) = (entry.connection.passingBytes, entry.connection.http.output.count)
          return held >= 256 << 10 && loop.connections.unsentBytes == held + unsent
        })
      client.reset()
    }
  }

  @Test("a server that stops closes its connections to the backend")
  func stops() async throws {
    let hasEnded = Observed(false)
    let backend = try ScriptedBackend { _, link in
      while link.receive() {}
      hasEnded.withLock { $0 = true }
    }
    var options = MockServer.Options()
    options.upstream = backend.url
    options.timeouts.drain = .milliseconds(50)
    let server = try await MockServer.start(options)
    let client = try WireConnection(server.port)
    try client.send(wire("POST", "/slow", body: "{}"))
    #expect(await backend.requests.becomes { $0.count == 1 })
    await server.stop()
    #expect(await hasEnded.becomes { $0 })
  }

  @Test("the reason is told for which no connection could be made")
  func obstacle() async throws {
    let closed = try BoundListener(isOpen: false)
    try await Stage.inFrontOf("http://127.0.0.1:\(closed.port)") { stage in
      let answer = try exchange(stage.server, wire("GET", "/orders"))
      #expect(answer.text.contains("(Connection refused)"))
    }
  }
}

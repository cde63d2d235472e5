import Foundation
import JSON
import LiveTesting
import Testing

@testable import Understudy

@Suite("Content between a client and a backend", .live)
struct PassedOnTests {
  @Test(
    "of an answer is passed on as it comes, whatever its type",
    arguments: ["text/plain", "application/x-ndjson", "multipart/x-mixed-replace; boundary=a", "application/json"])
  func answer(type: String) async throws {
    let mayEnd = DispatchSemaphore(value: 0)
    let backend = try ScriptedBackend { _, link in
      link.send(
        Array("HTTP/1.1 200 OK\r\nContent-Type: \(type)\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n".utf8))
      mayEnd.wait()
      link.send(Array("3\r\ntwo\r\n0\r\n\r\n".utf8))
    }
    try await Stage.inFrontOf(backend) { stage in
      let client = try WireConnection(stage.server.port)
      try client.send(wire("GET", "/log"))
      #expect(client.text { $0.contains("one") }?.contains("Transfer-Encoding: chunked\r\n") == true)
      mayEnd.signal()
      #expect(client.text { $0.hasSuffix("0\r\n\r\n") }?.contains("two") == true)
      let entry = try await stage.lastEnded()
      #expect(entry["outcome"] == "sent" && entry["response", "bytes"] == 6)
    }
  }

  @Test("of an answer that is cut reaches the client as far as it came, and then the end is no regular one")
  func cut() async throws {
    let backend = try ScriptedBackend(answering: "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello")
    try await Stage.inFrontOf(backend) { stage in
      let client = try WireConnection(stage.server.port)
      try client.send(wire("POST", "/orders", body: "{}"))
      #expect(client.rest().end == .reset)
      let entry = try await stage.lastEnded()
      #expect(entry["upstream", "failure"] == "malformed" && entry["applied"] == .null)
    }
  }

  @Test(
    "without an end is struck after its beginning",
    arguments: [
      ("text/event-stream", ": hi\n\nid: 1\n\nretry: 5\n\ndata: one\n\n"),
      ("text/event-stream", "data: one\r\r"),
      ("application/x-ndjson", String(repeating: "0123456789abcdef", count: 64)),
    ])
  func endless(type: String, beginning: String) async throws {
    let backend = try ScriptedBackend { _, link in
      link.send(Array("HTTP/1.1 200 OK\r\nContent-Type: \(type)\r\n\r\n\(beginning)data: two\n\nmore".utf8))
      // The client's end becomes the backend's.
      while link.receive() {}
    }
    let rule = #"{"name":"r","effect":{"fault":"truncate"}}"#
    try await Stage.inFrontOf(backend.url, rule) { stage in
      let client = try WireConnection(stage.server.port)
      try client.send(wire("GET", "/stream", version: "1.0"))
      let (text, _) = client.rest()
      #expect(text.hasSuffix("\r\n\r\n" + beginning))
      #expect(try await stage.lastEnded()["outcome"] == "closed")
    }
  }

  @Test("of a request goes on before its end has come, whatever its length", arguments: [true, false])
  func upload(isChunked: Bool) async throws {
    let hasBegun = DispatchSemaphore(value: 0)
    let (first, rest) = (String(repeating: "a", count: 70_000), String(repeating: "b", count: 3_000_000))
    let backend = try ScriptedBackend(readingHeadOnly: true) { _, link in
      while !String(decoding: link.received, as: UTF8.self).contains("aaa") { guard link.receive() else { return } }
      hasBegun.signal()
      while link.received.count < first.utf8.count + rest.utf8.count { guard link.receive() else { return } }
      link.send(Array(ScriptedBackend.response("201 Created", "{}").utf8))
    }
    try await Stage.inFrontOf(backend) { options in
      options.maximumBody = 100_000
    } body: { stage in
      let client = try WireConnection(stage.server.port)
      let framing = isChunked ? "Transfer-Encoding: chunked" : "Content-Length: \(first.utf8.count + rest.utf8.count)"
      func framed(_ text: String) -> String {
        isChunked ? String(text.utf8.count, radix: 16) + "\r\n" + text + "\r\n" : text
      }
      try client.send(wire("POST", "/files", framing) + framed(first))
      hasBegun.wait()
      try client.send(framed(rest) + (isChunked ? "0\r\n\r\n" : ""))
      #expect(try client.response().status == 201)
      let entry = try await stage.lastEnded()
      #expect(entry["applied"] == true && entry["outcome"] == "sent")
    }
  }

  @Test("of a request whose client leaves in the middle is not completed by this server, and its effect is unknown")
  func abandoned() async throws {
    let (hasBegun, hasEnded) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let backend = try ScriptedBackend(readingHeadOnly: true) { _, link in
      while !String(decoding: link.received, as: UTF8.self).contains("aaa") { guard link.receive() else { return } }
      hasBegun.signal()
      while link.receive() {}
      hasEnded.signal()
    }
    try await Stage.inFrontOf(backend) { stage in
      let client = try WireConnection(stage.server.port)
      try client.send(wire("POST", "/files", "Content-Length: 200000") + String(repeating: "a", count: 70_000))
      hasBegun.wait()
      client.hangUp()
      hasEnded.wait()
      let entry = try await stage.lastEnded()
      #expect(entry["outcome"] == "peer gone" && entry["applied"] == .null)
    }
  }

  @Test("of a request whose backend leaves in the middle is read to its end, and answered with 502")
  func backendLeaves() async throws {
    let backend = try ScriptedBackend(readingHeadOnly: true) { _, _ in }
    try await Stage.inFrontOf(backend) { stage in
      let client = try WireConnection(stage.server.port)
      try client.send(wire("POST", "/files", body: String(repeating: "a", count: 3_000_000)))
      #expect(try client.response().status == 502)
    }
  }

  @Test("of another protocol passes both ways after 101, and each end's end is passed on")
  func tunnel() async throws {
    let backend = try ScriptedBackend { request, link in
      guard request.contains("\r\nConnection: Upgrade\r\nUpgrade: chat\r\n") else { return }
      link.send(Array("HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: chat\r\n\r\nwelcome".utf8))
      while link.receive() {}
      link.send(link.received.suffix(4) + Array(" and bye".utf8))
    }
    try await Stage.inFrontOf(backend) { stage in
      let client = try WireConnection(stage.server.port)
      try client.send(wire("GET", "/chat", "Connection: keep-alive, Upgrade", "Upgrade: h2c, chat"))
      let head = try #require(client.text { $0.hasSuffix("welcome") })
      #expect(head.hasPrefix("HTTP/1.1 101 ") && head.contains("Upgrade: chat\r\n") && !head.contains("Content-Length"))
      try client.send("ping")
      client.finishWriting()
      #expect(client.text { $0.hasSuffix("ping and bye") } != nil)
      #expect(try await stage.lastEnded()["response", "status"] == 101)
    }
  }

  @Test("for the control API is awaited whole, up to its own limit")
  func control() async throws {
    let backend = try ScriptedBackend(answering: ScriptedBackend.response("200 OK", "{}"))
    try await Stage.inFrontOf(backend) { stage in
      let padding = String(repeating: " ", count: 100_000)
      let scenario = padding + #"{"rules":[]}"#
      #expect(try exchange(stage.server, wire("PUT", "/_mock/scenario", body: scenario)).status == 200)
      let long = "Content-Length: 2000000"
      let refused = try exchange(stage.server, wire("PUT", "/_mock/scenario", long) + padding)
      #expect(refused.status == 413 && backend.requests.withLock { $0.isEmpty })
    }
  }
}

@Suite("Events of a stream are counted")
struct EventCounterTests {
  @Test(
    "as the standard does, wherever the pieces are divided",
    arguments: [
      ("data: 1\n\ndata: 2\n\n", 2), (": comment\n\nretry: 5\n\nid: 3\n\nevent: a\n\n", 0), ("data\n\n", 1),
      ("data: a\rdata: b\r\r", 1), ("data: a\r\n\r\ndata: b\r\n\r\n", 2), ("\u{FEFF}data: a\n\n", 1),
      ("database: a\n\n", 0), ("data: a\n", 0), ("\n\n\n", 0),
    ])
  func events(text: String, count: Int) {
    for size in 1...text.utf8.count {
      var counter = EventCounter()
      let bytes = Array(text.utf8)
      for start in stride(from: 0, to: bytes.count, by: size) {
        let piece = bytes[start..<min(start + size, bytes.count)]
        #expect(counter.read(piece, upToEvent: .max) == piece.count)
      }
      #expect(counter.count == count, "\(text.debugDescription) in pieces of \(size)")
    }
  }

  @Test("up to one of them, of which every byte is read")
  func limit() {
    var counter = EventCounter()
    #expect(counter.read(Array(": a\n\ndata: 1\n\ndata: 2\n\n".utf8)[...], upToEvent: 1) == 14)
  }
}

@Suite("The hash of content in parts")
struct ContentHashTests {
  @Test("does not depend on where the content is divided")
  func divided() {
    let content = (0..<20_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    let values = [1, 7, 4_096, 5_000, 20_000].map { size in
      var hash = ContentHash()
      for start in stride(from: 0, to: content.count, by: size) {
        hash.add(content[start..<min(start + size, content.count)])
      }
      return hash.value
    }
    #expect(Set(values).count == 1)
    var other = ContentHash()
    other.add(content.dropLast())
    #expect(other.value != values[0])
  }

  /// Returns the hash of two files as a form sends them.
  private func hash(_ boundary: String, _ file: String, inPiecesOf size: Int, type: String = "multipart/form-data")
    -> UInt64
  {
    let text =
      "--\(boundary)\r\n\r\n\(file)--\r\n-\r\n--\(boundary)\r\n\r\nb\r\n--\(boundary)--\r\n"
    let content = Array(text.utf8)
    var hash = ContentHash(type: Array("\(type); Boundary=\(boundary)".utf8)[...])
    for start in stride(from: 0, to: content.count, by: size) {
      hash.add(content[start..<min(start + size, content.count)])
    }
    return hash.value
  }

  @Test("does not depend on the boundary between its parts", arguments: [1, 7, 20_000])
  func boundary(size: Int) {
    let file = String(repeating: "-a\n", count: 5_000)
    let one = hash("one", file, inPiecesOf: 20_000)
    #expect(hash("a-longer-one", file, inPiecesOf: size) == one)
    #expect(hash("one", file + "a", inPiecesOf: size) != one)
    #expect(
      hash("two", file, inPiecesOf: size, type: "text/plain") != hash("one", file, inPiecesOf: size, type: "text/plain")
    )
  }
}

import Foundation
import LiveTesting
import Primitives
import Report
import Testing

@testable import Understudy

@Suite("Content that is passed on as it comes", .live)
struct PassedOnContentTests {
  private static let content = String(repeating: "0123456789", count: 300)

  /// Returns a backend that holds back the last bytes of its answer until it may end.
  private static func backend(until mayEnd: DispatchSemaphore) throws -> ScriptedBackend {
    let whole = Array(ScriptedBackend.response("200 OK", content).utf8)
    return try ScriptedBackend { _, link in
      link.send(Array(whole.dropLast(1_000)))
      mayEnd.wait()
      link.send(Array(whole.suffix(1_000)))
    }
  }

  @Test("is sent to its end by a server that stops")
  func stops() async throws {
    let mayEnd = DispatchSemaphore(value: 0)
    let backend = try Self.backend(until: mayEnd)
    var options = MockServer.Options.patient
    options.upstream = backend.url
    options.maximumBody = 1_000
    let server = try await MockServer.start(options)
    let client = try WireConnection(server.port)
    try client.send(wire("GET", "/film"))
    #expect(client.text { $0.contains("0123456789") } != nil)
    server.beginStopping()
    _ = await server.connectionCount()
    mayEnd.signal()
    #expect(try client.response().text == Self.content)
    await server.stop()
  }

  @Test("ends its entry with its last byte, and not with its head")
  func endTime() async throws {
    let mayEnd = DispatchSemaphore(value: 0)
    let clock = ManualClock()
    try await Stage.inFrontOf(try Self.backend(until: mayEnd)) { options in
      options.clocks = clock.clocks
      options.maximumBody = 1_000
    } body: { stage in
      let client = try WireConnection(stage.server.port)
      try client.send(wire("GET", "/film"))
      #expect(client.text { $0.contains("0123456789") } != nil)
      clock.advance(by: .seconds(5))
      mayEnd.signal()
      #expect(try client.response().text == Self.content)
      let hasBothTimes = await stage.server.journalBecomes { entries in
        entries.contains { $0.total == .seconds(5) && $0.measured == .zero }
      }
      #expect(hasBothTimes)
    }
  }

  @Test("is read no further ahead of a client that takes none than a few hundred kilobytes")
  func readAhead() async throws {
    let piece = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 20)
    let backend = try ScriptedBackend { _, link in
      link.send(Array("HTTP/1.1 200 OK\r\nContent-Length: \(64 << 20)\r\n\r\n".utf8))
      for _ in 0..<64 { link.send(piece) }
    }
    try await Stage.inFrontOf(backend) { stage in
      let client = try WireConnection(stage.server.port)
      try client.send(wire("GET", "/film"))
      let isFull = await stage.server.becomes { loop in
        loop.connections.all.contains { $0.connection.isStreaming && $0.connection.passingBytes >= 256 << 10 }
      }
      #expect(isFull)
      // Each of these is a turn of the loop, in which a connection that still reads would read.
      for _ in 0..<100 { #expect(try exchange(stage.server, wire("GET", "/_mock/health")).status == 200) }
      let held = await stage.server.ask { loop in
        loop.connections.all.first { $0.connection.isStreaming }?.connection.passingBytes ?? 0
      }
      #expect(256 << 10..<1 << 20 ~= held ?? 0, "\(held ?? 0) bytes are held")
      client.reset()
    }
  }

  @Test("is passed on at once, and waits for no timer")
  func withoutTime() async throws {
    let mayGoOn = DispatchSemaphore(value: 0)
    let backend = try ScriptedBackend { _, link in
      link.send(Array("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n".utf8))
      for number in 1...5 {
        link.send(Array("data: \(number)\n\n".utf8))
        mayGoOn.wait()
      }
    }
    try await Stage.inFrontOf(backend) { options in
      // No time passes, so no timer ends.
      options.clocks = ManualClock().clocks
    } body: { stage in
      let client = try WireConnection(stage.server.port)
      try client.send(wire("GET", "/events"))
      for number in 1...5 {
        #expect(client.text { $0.contains("data: \(number)\n\n") } != nil)
        mayGoOn.signal()
      }
    }
  }

  @Test("has its events counted by a fault, however their lines end", arguments: ["\n", "\r\n"])
  func lineEnds(lineEnd: String) async throws {
    let events = (1...3).map { "data: \($0)\(lineEnd)\(lineEnd)" }
    let backend = try ScriptedBackend { _, link in
      link.send(Array("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n".utf8))
      link.send(Array(events.joined().utf8))
    }
    let rule = #"{"name":"cut","match":{"path":"/events"},"effect":{"fault":"truncate","events":2}}"#
    try await Stage.inFrontOf(backend.url, rule) { stage in
      let client = try WireConnection(stage.server.port)
      try client.send(wire("GET", "/events"))
      let (text, end) = client.rest()
      #expect(end == .finished("") && text.contains("data: 2") && !text.contains("data: 3"), "\(text)")
    }
  }

  @Test("has links to the backend's own name, that of its URL or of --upstream-host, as links to this server")
  func location() async throws {
    for (link, clientLink) in [
      ("http://api.example/orders/1", "http://shop.test/orders/1"),
      ("//api.example/orders/1", "http://shop.test/orders/1"),
      ("http://other.example/orders/1", "http://other.example/orders/1"),
    ] {
      let backend = try ScriptedBackend(
        answering: ScriptedBackend.response("201 Created", "{}", "Location: \(link)", "Content-Location: \(link)"))
      try await Stage.inFrontOf(backend) { options in
        options.upstreamHost = "api.example"
        options.allowedHosts = ["shop.test"]
      } body: { stage in
        let client = try WireConnection(stage.server.port)
        try client.send(wire("POST", "/orders", host: "shop.test", body: "{}"))
        let answer = try client.response()
        #expect(answer["Location"] == clientLink && answer["Content-Location"] == clientLink, "\(answer.head)")
        #expect(backend.requests.withLock { $0.first }?.contains("\r\nHost: api.example\r\n") == true)
      }
    }
  }
}

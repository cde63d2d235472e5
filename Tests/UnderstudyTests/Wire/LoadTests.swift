import HTTP1
import LiveTesting
import Primitives
import Testing

@testable import Understudy

@Suite("Slow and broken peers")
struct LoadTests {
  private static let highWater = 256 << 10

  @Test(
    "a client that never reads costs no more than the limit, and delays no other client", arguments: PollerKind.allCases
  )
  func neverReads(poller: PollerKind) async throws {
    try await withServer(using: poller) { server in
      let reader = try exchange(server, wire("GET", "/users"))
      let client = try WireConnection(server.port, receiveBuffer: 4_096)
      let piece = Array(String(repeating: wire("GET", "/users"), count: 200).utf8)
      var sent = 0
      var isStuck = false
      while !isStuck, sent < 64 << 20 {
        let count = client.sendWithoutWaiting(piece)
        sent += count
        let bound = Self.highWater + reader.head.utf8.count + reader.body.count + 16
        let longest = await server.ask { $0.connections.all.map { $0.connection.http.output.byteCount }.max() ?? 0 }
        #expect(longest ?? 0 <= bound)
        #expect(try exchange(server, wire("GET", "/users/1")).status == 200)
        isStuck = count == 0
      }
      #expect(isStuck, "the server stops reading in the end")
      client.reset()
      #expect(await server.becomes { $0.connections.count == 0 })
    }
  }

  @Test(
    "a client that reads late gets every response, even if it has sent FIN in the meantime",
    arguments: PollerKind.allCases)
  func readsLate(poller: PollerKind) async throws {
    try await withServer(using: poller) { server in
      let client = try WireConnection(server.port, receiveBuffer: 4_096)
      let count = 400
      try client.send((1...count).map { wire("GET", "/users?page=\($0)") }.joined())
      client.finishWriting()
      _ = await server.connectionCount()
      for id in 1...count { #expect(try client.response()["Understudy-Request"] == "\(id)") }
      #expect(client.end() == .finished(""))
    }
  }

  @Test("connections that are reset at any point are removed", arguments: PollerKind.allCases)
  func resets(poller: PollerKind) async throws {
    let beginnings = [
      "", "GET", wire().dropLast(2).description, wire("POST", "/book", "Content-Length: 9") + "{", wire(),
      String(repeating: wire("GET", "/users"), count: 300), "bad\r\n\r\n", wire("GET", "/users/1", "Connection: close"),
      wire("POST", "/book", "Expect: 100-continue", "Content-Length: 9"),
    ]
    try await withServer(using: poller) { server in
      for round in 0..<4 {
        for beginning in beginnings {
          let client = try WireConnection(server.port)
          try client.send(beginning)
          if round % 2 == 1 { _ = await server.connectionCount() }
          if round / 2 == 1 { client.finishWriting() }
          client.reset()
        }
      }
      #expect(await server.becomes { $0.connections.count == 0 })
      #expect(try exchange(server, wire("GET", "/users/1")).status == 200)
    }
  }

  @Test("500 connections are served at once", arguments: PollerKind.allCases)
  func many(poller: PollerKind) async throws {
    try await withServer(using: poller) { server in
      let clients = try (0..<500).map { _ in try WireConnection(server.port) }
      for client in clients { try client.send(wire("GET", "/users/1")) }
      for client in clients { #expect(try client.response().status == 200) }
      #expect(await server.connectionCount() == 500)
      for client in clients.reversed() { try client.send(wire("GET", "/users/2")) }
      for client in clients { #expect(try client.response().text.contains("Ervin Howell")) }
      for client in clients { client.hangUp() }
      #expect(await server.becomes { $0.connections.count == 0 })
    }
  }
}

import Contract
import HTTP1
import Testing

@testable import Report
@testable import Understudy

/// A connection remembers what its last field section and its last request line named.
@Suite("A request after another one on the same connection")
struct RepeatedHeadTests {
  private static let lines = [
    "GET /devices", "GET /@ci/devices", "GET /users/1", "GET /rooms", "GET /@booking/rooms",
    "GET http://ci.localhost/rooms",
  ]
  private static let sections = [
    "Host: localhost", "Host: localhost:81", "Host: ci.localhost", "Host: booking.localhost",
    "Host: localhost\r\nUser-Agent: a", "Host: localhost\r\nUser-Agent: b",
    "Host: localhost\r\nUser-Agent: a\r\nUnderstudy-Client: c", "Host: localhost\r\nUnderstudy-Sandbox: ci",
    "Host: localhost\r\nForwarded: host=example.org;proto=https",
  ]
  private static let heads = lines.flatMap { line in
    sections.map { "\(line) HTTP/1.1\r\n\($0)\r\n\r\n" }
  }

  /// The response to a request, the number of new entries of each sandbox, and the judged clients.
  private struct Trace: Equatable {
    let response: String
    let entries: [Int]
    let clients: [UInt64]
  }

  private static func trace(of request: String, on connection: HeldConnection, at server: DurableServer) -> Trace {
    let sandboxes = server.application.state.sandboxes.all
    let before = sandboxes.map { ($0.traffic.journal.lastID, $0.traffic.checks.exchanges) }
    let sent = connection.output.bytes.count
    connection.receive(Array(request.utf8)[...])
    let response = String(decoding: connection.output.bytes[sent...], as: UTF8.self)
    let lines = response.split(separator: "\r\n", omittingEmptySubsequences: false)
    let clients = zip(sandboxes, before).compactMap { sandbox, before -> UInt64? in
      sandbox.traffic.checks.exchanges > before.1 ? connection.connection.link.client?.hash : nil
    }
    return Trace(
      response: lines.filter { !$0.hasPrefix("Understudy-Request") }.joined(separator: "\r\n"),
      entries: zip(sandboxes, before).map { $0.traffic.journal.lastID - $1.0 }, clients: clients)
  }

  @Test("has the host, the sandbox and the client that its own head names", arguments: heads)
  func second(_ second: String) throws {
    let server = try DurableServer(on: MemoryDisk(seed: 1))
    #expect(
      server.ask("POST /_mock/sandboxes HTTP/1.1\r\nHost: localhost\r\nContent-Length: 13\r\n\r\n{\"name\":\"ci\"}")
        .status
        == 201)
    func open() -> HeldConnection {
      HeldConnection(peer: "peer", port: Labels(), application: server.application, timeouts: Timeouts())
    }
    let alone = Self.trace(of: second, on: open(), at: server)
    #expect(alone.response.hasPrefix("HTTP/1.1 "))
    for first in Self.heads {
      let connection = open()
      _ = Self.trace(of: first, on: connection, at: server)
      #expect(Self.trace(of: second, on: connection, at: server) == alone, "after \(first)")
    }
  }
}

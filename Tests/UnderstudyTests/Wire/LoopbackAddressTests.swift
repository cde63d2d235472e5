import JSON
import LiveTesting
import Testing

@testable import Understudy

@Suite("Without a host, a server", .enabled(if: WireConnection.hasV6))
struct LoopbackAddressTests {
  private static func status(_ target: String, at port: Int, isV6: Bool) throws -> Int {
    let client = try WireConnection(port, isV6: isV6)
    try client.send(wire("GET", target))
    return try client.response().status
  }

  @Test(
    "answers on both loopback addresses at one port: its own, those of APIs, and that of a sandbox",
    arguments: [nil, "localhost"])
  func both(host: String?) async throws {
    let change = { (options: inout MockServer.Options) in (options.host, options.apiPorts) = (host, 0) }
    try await withServer(change) { server in
      let made = try exchange(server, wire("POST", "/_mock/sandboxes", body: #"{"name":"cellar","port":0}"#))
      let sandbox = try #require(JSONValue(parsing: made.body)["port"]?.int)
      for isV6 in [false, true] {
        #expect(try Self.status("/devices", at: server.port, isV6: isV6) == 200)
        for (name, port) in server.apiPorts { #expect(try Self.status("/", at: port, isV6: isV6) == 404, "\(name)") }
        #expect(try Self.status("/users/1", at: sandbox, isV6: isV6) == 200)
      }
      _ = try exchange(
        server, wire("PATCH", "/@cellar/_mock/network", body: #"{"state":"offline","as":"refused"}"#))
      for isV6 in [false, true] {
        #expect(throws: WireConnection.Failure.self) { try WireConnection(sandbox, isV6: isV6) }
      }
    }
  }

  @Test("takes a client without a name for one, whichever of the two addresses it uses")
  func oneClient() async throws {
    try await withServer { server in
      for isV6 in [false, true] {
        let client = try WireConnection(server.port, isV6: isV6)
        try client.send(wire("POST", "/book", "Idempotency-Key: \(isV6)", body: #"{"name":"Ljerka"}"#))
        #expect(try client.response().status == 200)
      }
      let report = try exchange(server, wire("GET", "/_mock/report?format=json&final=true")).text
      #expect(!report.contains("::1"))
    }
  }

  @Test("listens at one address only, if that is its host", arguments: ["127.0.0.1", "::1", "[::1]"])
  func one(host: String) async throws {
    try await withServer({ $0.host = host }) { server in
      let isV6 = host.contains(":")
      try #expect(Self.status("/devices", at: server.port, isV6: isV6) == 200)
      #expect(throws: WireConnection.Failure.self) { try WireConnection(server.port, isV6: !isV6) }
      #expect(server.url == (isV6 ? "http://[::1]:\(server.port)" : "http://127.0.0.1:\(server.port)"))
    }
  }
}

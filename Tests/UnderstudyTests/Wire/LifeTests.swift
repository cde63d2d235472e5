import Contract
import HTTP1
import LiveTesting
import Testing

@testable import Primitives
@testable import Understudy

@Suite("A server's start and stop", .live)
struct LifeTests {
  /// A timeout that is longer than any test.
  private static let never = NanosecondDuration.seconds(86_400)

  /// Returns when a server has stopped, which is long before its timeouts.
  private func stopped(_ server: MockServer) async throws {
    let hasEnded = Observed(false)
    Task {
      await server.stop()
      hasEnded.withLock { $0 = true }
    }
    try #require(await hasEnded.becomes { $0 })
  }

  @Test(
    "stop() sends responses in flight, closes idle connections, and frees the port", arguments: PollerKind.allCases)
  func drains(poller: PollerKind) async throws {
    var options = MockServer.Options.patient
    options.poller = poller
    options.timeouts.drain = Self.never
    let server = try await MockServer.start(options)
    let idle = try WireConnection(server.port)
    try idle.send(wire("GET", "/users/1"))
    #expect(try idle.response().status == 200)
    let busy = try WireConnection(server.port, receiveBuffer: 4_096)
    let piece = Array(String(repeating: wire("GET", "/users"), count: 200).utf8)
    while busy.sendWithoutWaiting(piece) > 0 {}
    server.beginStopping()
    #expect(idle.end() == .finished(""))
    idle.hangUp()
    guard case .finished(let responses) = busy.end() else { throw WireConnection.Failure(description: "no FIN") }
    #expect(
      responses.hasPrefix("HTTP/1.1 200") && responses.hasSuffix("]"), "complete responses, and no RST after them")
    busy.hangUp()
    try await stopped(server)
    #expect(throws: WireConnection.Failure.self) { try WireConnection(server.port) }
    var again = MockServer.Options.patient
    again.port = server.port
    await (try MockServer.start(again)).stop()
  }

  @Test("the drain ends at once after the last response was sent", arguments: PollerKind.allCases)
  func drainsQuickly(poller: PollerKind) async throws {
    var options = MockServer.Options.patient
    options.poller = poller
    options.timeouts.drain = Self.never
    let server = try await MockServer.start(options)
    let client = try WireConnection(server.port)
    // The response to the first request shows that the server has read the half that arrived with it.
    try client.send("GET /users/1 HTTP/1.1\r\nHost: localhost\r\n\r\nGET /users/1 HTTP/1.1\r\nHo")
    #expect(try client.response().status == 200)
    server.beginStopping()
    _ = await server.connectionCount()
    try client.send("st: localhost\r\n\r\n")
    #expect(try client.response()["Connection"] == "close")
    #expect(client.end() == .finished(""))
    client.hangUp()
    try await stopped(server)
  }

  @Test(
    "requests that have arrived when the server stops are answered, even on a connection that is not accepted yet",
    arguments: PollerKind.allCases)
  func answersWhatArrived(poller: PollerKind) async throws {
    for _ in 0..<20 {
      var options = MockServer.Options.patient
      options.poller = poller
      options.timeouts.drain = .seconds(1)
      let server = try await MockServer.start(options)
      let kept = try WireConnection(server.port)
      try kept.send(wire("GET", "/users/1"))
      #expect(try kept.response().status == 200)
      let fresh = try WireConnection(server.port)
      try fresh.send(wire("GET", "/users/1"))
      try kept.send(wire("GET", "/users/2"))
      server.beginStopping()
      #expect(try kept.response().status == 200)
      #expect(try fresh.response().status == 200, "although it may not be accepted yet")
      #expect(kept.end() == .finished(""))
      #expect(fresh.end() == .finished(""))
      kept.hangUp()
      fresh.hangUp()
      await server.stop()
    }
  }

  @Test("a connection that does not end is closed when the drain ends", arguments: PollerKind.allCases)
  func cutsOff(poller: PollerKind) async throws {
    var options = MockServer.Options.patient
    options.poller = poller
    options.timeouts.drain = .milliseconds(100)
    let server = try await MockServer.start(options)
    let client = try WireConnection(server.port)
    try client.send("GET /users/1 HTTP/1.1\r\nHo")
    #expect(await server.becomes { $0.connections.count == 1 })
    await server.stop()
    #expect(client.end() != .silence)
  }

  @Test("stop() may be called repeatedly, at the same time and afterwards")
  func stopsTwice() async throws {
    let server = try await MockServer.start(.patient)
    async let first: Void = server.stop()
    async let second: Void = server.stop()
    _ = await (first, second)
    await server.stop()
    #expect(await server.connectionCount() == 0)
  }

  @Test("a port in use is reported as the error")
  func portInUse() async throws {
    try await withServer { server in
      var options = MockServer.Options.patient
      options.port = server.port
      do {
        await (try MockServer.start(options)).stop()
        Issue.record("two servers have one port")
      } catch let error as StartError {
        guard case .portInUse(server.port) = error else { throw error }
        #expect(error.description.contains("port \(server.port) is in use"))
      }
    }
  }

  @Test("invalid ports are refused", arguments: [-1, 65_536, 70_000])
  func badPort(port: Int) async throws {
    var options = MockServer.Options.patient
    options.port = port
    await #expect(throws: StartError.self) { await (try MockServer.start(options)).stop() }
  }

  @Test("a seed is refused that JSON cannot express exactly, and the greatest other one is taken")
  func greatestSeed() async throws {
    var options = MockServer.Options.patient
    options.seed = MockServer.maximumSeed
    await (try MockServer.start(options)).stop()
    options.seed += 1
    await #expect(throws: StartError.self) { await (try MockServer.start(options)).stop() }
  }

  @Test("a server on another address than loopback needs a token")
  func needsToken() async throws {
    var options = MockServer.Options.patient
    options.host = "0.0.0.0"
    await #expect(throws: StartError.self) { await (try MockServer.start(options)).stop() }
    for token in ["", " ", " a", "a ", "secret\n", "a\r\nb", "\t"] {
      options.adminToken = token
      await #expect(throws: StartError.self, "no client could send it") { await (try MockServer.start(options)).stop() }
    }
  }

  @Test("an idle connection does not keep the server from stopping", arguments: PollerKind.allCases)
  func endsWithoutWaiting(poller: PollerKind) async throws {
    var options = MockServer.Options.patient
    options.poller = poller
    (options.timeouts.linger, options.timeouts.drain) = (Self.never, Self.never)
    let server = try await MockServer.start(options)
    let silent = try WireConnection(server.port)
    let kept = try server.usedConnection()
    #expect(await server.becomes { $0.connections.count == 2 })
    try await stopped(server)
    #expect(silent.end() == .finished("") && kept.end() == .finished(""))
  }

  @Test("servers in one process are independent", arguments: PollerKind.allCases)
  func several(poller: PollerKind) async throws {
    try await withServer(using: poller) { one in
      try await withServer(using: poller) { other in
        let body = "{\"installationDate\":\"2023-07-05T15:13:34Z\"}"
        let patched = try exchange(one, wire("PATCH", "/devices/WWM-0001-12", body: body))
        #expect(patched.status == 200)
        #expect(try exchange(one, wire()).text.contains("2023-07-05"))
        #expect(try exchange(other, wire()).text.contains("2023-07-05") == false)
      }
    }
  }

  @Test("each API can have its own port, with its own paths at /", arguments: PollerKind.allCases)
  func apiPorts(poller: PollerKind) async throws {
    try await withServer(using: poller, { $0.apiPorts = 0 }) { server in
      #expect(Set(server.apiPorts.keys) == Set(API.all.map(\.name)))
      let booking = try #require(server.apiPorts["booking"])
      let rooms = try exchange(server, wire("GET", "/rooms", host: "localhost:\(booking)"), port: booking)
      #expect(rooms.text.contains("http://localhost:\(booking)/image/"))
      let house = try #require(server.apiPorts["house"])
      #expect(try exchange(server, wire("GET", "/rooms"), port: house).text.contains("fixtures"))
      #expect(try exchange(server, wire("GET", "/devices"), port: house).status == 404)
      #expect(try exchange(server, wire("GET", "/@users/users"), port: house).status == 400, "two labels of one kind")
      #expect(server.url(of: booking) == "http://127.0.0.1:\(booking)")
    }
  }

  @Test("a server on localhost listens on every loopback address of this machine", arguments: PollerKind.allCases)
  func localhost(poller: PollerKind) async throws {
    try await withServer(using: poller, { $0.host = "localhost" }) { server in
      #expect(server.url == "http://localhost:\(server.port)")
      let response = try exchange(server, wire("GET", "/users/1"))
      #expect(response.status == 200)
    }
  }

  @Test("a host without an address is refused")
  func unknownHost() async throws {
    var options = MockServer.Options.patient
    options.host = "no-such-host.localhost.invalid"
    options.adminToken = "t"
    await #expect(throws: StartError.self) { await (try MockServer.start(options)).stop() }
  }
}

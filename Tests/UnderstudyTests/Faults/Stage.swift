import Contract
import HTTP1
import JSON
import LiveTesting
import Primitives
import Testing

@testable import Understudy

/// A server with faults, and the queries of tests about it.
struct Stage {
  let server: MockServer
  static let device = "/devices/WWM-0001-12"
  /// A write whose response has a body; most tests send it.
  static let write = wire("POST", "/book", body: "{\"name\":\"Ljerka\"}")
  static let written = "{\"success\":true}"

  /// Arms a scenario of these rules.
  func arm(_ rules: String...) throws { try arm(rules) }

  func arm(_ rules: [String]) throws {
    let scenario = "{\"name\":\"test\",\"rules\":[\(rules.joined(separator: ","))]}"
    let response = try exchange(server, wire("PUT", "/_mock/scenario", body: scenario))
    try #require(response.status == 200, "\(response.text)")
  }

  func json(_ target: String, _ method: String = "GET", _ body: String? = nil) throws -> JSONValue {
    let response = try exchange(server, wire(method, target, body: body))
    try #require((200..<300).contains(response.status), "\(target): \(response.text)")
    return try response.body.isEmpty ? .null : JSONValue(parsing: response.body)
  }

  func journal(_ query: String = "") throws -> [JSONValue] {
    try #require(try json("/_mock/journal" + query)["entries"]?.array)
  }

  /// Returns the journal's entries of requests, in the order of their arrival.
  func requests() throws -> [JSONValue] {
    try journal().filter { $0["event"] == nil }.sorted { $0["id"]?.int ?? 0 < $1["id"]?.int ?? 0 }
  }

  /// The newest entry of the journal.
  func lastEntry() throws -> JSONValue { try #require(try journal().last) }

  /// Returns the spots of the room that `write` books, by the control API, which no fault affects.
  func spots(_ room: String = "Ljerka") throws -> Int {
    let rooms = try #require(try json("/_mock/state")["booking", "rooms"]?.array)
    return try #require(rooms.first { $0["name"] == .string(room) }?["spots"]?.int)
  }

  /// Returns true if `write` was applied once since the start.
  func isChanged() throws -> Bool { try spots() == 42 }

  func advanceClock(_ duration: String) throws {
    _ = try json("/_mock/clock", "PATCH", "{\"advance\":\"\(duration)\"}")
  }

  /// Waits until one connection is silent as planned, with nothing left to send.
  func waitForSilence() async throws {
    try #require(
      await server.becomes { loop in
        loop.connections.all.count { $0.connection.isSilent && $0.connection.http.output.pending == 0 } == 1
      })
  }
}

func withStage<Result>(
  _ rules: String..., change: (inout MockServer.Options) -> Void = { _ in }, body: (Stage) async throws -> Result
) async throws -> Result {
  try await withServer(change) { server in
    let stage = Stage(server: server)
    if !rules.isEmpty { try stage.arm(rules) }
    return try await body(stage)
  }
}

extension JSONValue {
  subscript(path: String...) -> JSONValue? { path.reduce(self as JSONValue?) { $0?[$1] } }
}

extension MockServer {
  /// A connection that has served a request; transports replay on such connections.
  func usedConnection() throws -> WireConnection {
    let client = try WireConnection(port)
    try client.send(wire("GET", "/users/1"))
    _ = try client.response()
    return client
  }
}

/// Returns the duration of `body`.
func time(_ body: () async throws -> Void) async rethrows -> Duration {
  let start = ContinuousClock.now
  try await body()
  return ContinuousClock.now - start
}

import JSON
import LiveTesting
import Primitives
import Testing

@testable import Understudy

/// The bytes that a peer can make the server store or send by requests alone.
@Suite("Responses larger than their requests")
struct AmplificationTests {
  struct Hostile: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let request: String

    init(_ name: String, _ method: String, _ target: String, _ fields: String..., body: String? = nil) {
      testDescription = name
      var lines = ["\(method) \(target) HTTP/1.1", "Host: localhost"] + fields
      if let body { lines.append("Content-Length: \(body.utf8.count)") }
      request = lines.map { $0 + "\r\n" }.joined() + "\r\n" + (body ?? "")
    }
  }

  /// An object of many members that are in no schema.
  private static func unknownKeys(_ count: Int = 10_000) -> String {
    "{" + (0..<count).map { "\"\(String($0, radix: 36))\":1" }.joined(separator: ",") + "}"
  }

  private static let long = String(repeating: "~", count: 200_000)
  private static let line = String(repeating: "%00", count: 2_500)
  private static let field = String(repeating: "\"", count: 30_000)
  private static let digits = String(repeating: "0", count: 200_000)
  private static let wrong = "[" + String(repeating: "1,", count: 20_000) + "1]"

  static let all = [
    Hostile("unknown APIs", "PATCH", "/_mock/state", body: unknownKeys()),
    Hostile("unknown members of an API", "PATCH", "/_mock/state", body: "{\"house\":\(unknownKeys())}"),
    Hostile("unknown members of a device", "PATCH", "/devices/WWM-0001-12", body: unknownKeys()),
    Hostile("wrong records", "PATCH", "/_mock/state", body: "{\"devices\":\(wrong)}"),
    Hostile("wrong records of a sandbox", "POST", "/_mock/sandboxes", body: "{\"data\":{\"activities\":\(wrong)}}"),
    Hostile("unknown members of a sandbox", "POST", "/_mock/sandboxes", body: unknownKeys()),
    Hostile("unknown members of a scenario", "PUT", "/_mock/scenario", body: unknownKeys()),
    Hostile("wrong rules", "PUT", "/_mock/scenario", body: "{\"name\":\"a\",\"rules\":\(wrong)}"),
    Hostile("a long key", "PATCH", "/_mock/state", body: "{\"\(long)\":1}"),
    Hostile("a long key of a scenario", "PUT", "/_mock/scenario", body: "{\"\(long)\":1}"),
    Hostile("a long key of a device", "PATCH", "/devices/WWM-0001-12", body: "{\"\(long)\":1}"),
    Hostile(
      "many wrong members behind a long key", "PATCH", "/_mock/state",
      body: "{\"house\":{\"rooms\":{\"\(long.prefix(100_000))\":\(unknownKeys(2_000))}}}"),
    Hostile("a long text", "PATCH", "/devices/WWM-0001-12", body: "{\"type\":\"\(long)\"}"),
    Hostile("a long number", "POST", "/_mock/sandboxes", body: "{\"seed\":1\(digits)}"),
    Hostile("a long room", "POST", "/book", body: "{\"name\":\"\(long)\"}"),
    Hostile("a long sandbox", "POST", "/_mock/sandboxes", body: "{\"name\":\"\(long)\"}"),
    Hostile("a long scenario", "PUT", "/_mock/scenario", body: "\"\(long)\""),
    Hostile("a path of controls", "GET", "/devices/\(line)"),
    Hostile("a label of controls", "GET", "/@\(line)/devices"),
    Hostile("a parameter of controls", "GET", "/_mock/journal?\(line)=\(line.prefix(300))"),
    Hostile("a long label", "GET", "/devices", "Understudy-Sandbox: \(field)"),
    Hostile("a long preference", "GET", "/no/where", "Prefer: fault=\"\(field.replacing("\"", with: "x"))\""),
    Hostile("a long range", "PUT", "/_mock/scenario", "Content-Range: \(field)", body: "\"calm\""),
  ]

  @Test("an error response has 64 KiB at most, whatever the size of the request's body and fields", arguments: all)
  func isBounded(hostile: Hostile) async throws {
    try await withServer { server in
      let response = try exchange(server, hostile.request)
      #expect((400..<500).contains(response.status))
      let count = response.head.utf8.count + response.body.count
      #expect(count <= 64 << 10, "\(hostile.request.utf8.count) bytes were answered with \(count)")
    }
  }

  @Test("the first hundred violations are listed, and the rest are counted")
  func countsTheRest() async throws {
    try await withServer { server in
      let response = try exchange(server, wire("PATCH", "/_mock/state", body: Self.unknownKeys(5_100)))
      let problem = try JSONValue(parsing: response.body)
      #expect(problem["errors"]?.array?.count == 100)
      #expect(problem["furtherErrors"] == 5_000)
      let few = try JSONValue(
        parsing: exchange(server, wire("PATCH", "/_mock/state", body: Self.unknownKeys(100))).body)
      #expect(few["errors"]?.array?.count == 100 && few["furtherErrors"] == nil)
    }
  }

  @Test("the unsent output for peers that never read is bounded, and a client that reads is served")
  func boundsHeldOutput() async throws {
    let maximum = 1 << 20
    try await withServer { server in
      server.jobs.post { $0.connections.maximumUnsentBytes = maximum }
      let devices = (0..<3_000).map { number in
        "{\"id\":\"D-\(number)\",\"type\":\"heating\",\"meterPointDescription\":\"a\",\"installationDate\":null}"
      }
      let filled = try exchange(
        server, wire("PATCH", "/_mock/state", body: "{\"devices\":[\(devices.joined(separator: ","))]}"))
      #expect(filled.status == 200)
      let count = 12
      let silent = try (0..<count).map { _ in try server.usedConnection() }
      for client in silent { try client.send(String(repeating: wire("GET", "/devices"), count: 80)) }
      let isBounded = await server.becomes { $0.connections.count < count }
      #expect(isBounded, "peers that accept no output are disconnected")
      #expect(await server.unsentBytes() <= maximum)
      #expect(try exchange(server, wire("GET", "/devices")).status == 200)
      #expect(await server.unsentBytes() <= maximum)
      for client in silent { client.hangUp() }
      let isFree = await server.becomes { $0.connections.unsentBytes == 0 }
      #expect(isFree, "the memory of closed connections is released")
    }
  }
}

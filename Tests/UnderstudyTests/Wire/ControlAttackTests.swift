import JSON
import LiveTesting
import Primitives
import Testing

@testable import Understudy

/// Attacks on the control API by a page, another machine or a client, each on a running server.
@Suite("Attacks on the control API")
struct ControlAttackTests {
  /// A request with a claimed origin and a target.
  struct Attempt: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var host: String? = "localhost"
    var fields: [String] = []
    /// The text before the path, in absolute form.
    var authority = ""

    func wire(_ method: String, _ path: String, _ body: String?) -> String {
      var lines = ["\(method) \(authority)\(path) HTTP/1.1"] + fields
      if let host { lines.append("Host: \(host)") }
      if let body { lines.append("Content-Length: \(body.utf8.count)") }
      return lines.map { $0 + "\r\n" }.joined() + "\r\n" + (body ?? "")
    }
  }

  static let foreign: [Attempt] = [
    Attempt(testDescription: "another site's page", fields: ["Origin: http://attacker.example"]),
    Attempt(testDescription: "a page in a sandboxed frame", fields: ["Origin: null"]),
    Attempt(testDescription: "a page of another port", fields: ["Origin: http://localhost:3000"]),
    Attempt(testDescription: "a page of another scheme", fields: ["Origin: https://localhost"]),
    Attempt(
      testDescription: "a page at a name that begins alike", fields: ["Origin: http://localhost.attacker.example"]),
    Attempt(
      testDescription: "an own Origin, and another's", fields: ["Origin: http://localhost", "Origin: http://a.example"]),
    Attempt(
      testDescription: "an image or script of another site",
      fields: ["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: no-cors"]),
    Attempt(testDescription: "a page of another port, without Origin", fields: ["Sec-Fetch-Site: same-site"]),
    Attempt(
      testDescription: "a frame in another site's page",
      fields: ["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: iframe"]),
    Attempt(
      testDescription: "an image or script of another site, in capitals",
      fields: ["Sec-Fetch-Site: CROSS-SITE", "Sec-Fetch-Mode: No-Cors"]),
    Attempt(testDescription: "a page of another port, in capitals", fields: ["Sec-Fetch-Site: Same-Site"]),
    Attempt(testDescription: "a rebound name", host: "attacker.example"),
    Attempt(testDescription: "a rebound name with the port", host: "attacker.example:8080"),
    Attempt(
      testDescription: "a rebound name with a page of its own", host: "a.example", fields: ["Origin: http://a.example"]),
    Attempt(testDescription: "a name that begins like an address", host: "127.0.0.1.attacker.example"),
    Attempt(testDescription: "an absolute target over a good Host", authority: "http://attacker.example"),
  ]

  private static let changes: [(method: String, path: String, body: String?)] = [
    ("PUT", "/_mock/scenario", "\"mayhem\""), ("PATCH", "/_mock/state", "{\"house\":{\"temperature\":31}}"),
    ("POST", "/_mock/sandboxes", "{\"name\":\"made-by-attack\"}"), ("POST", "/_mock/reset", nil),
    ("PUT", "/_mock/snapshots/taken", nil), ("PATCH", "/_mock/clock", "{\"frozen\":true}"),
    ("DELETE", "/_mock/sandboxes/mine", nil), ("GET", "/_mock/journal", nil), ("GET", "/_mock/state", nil),
    ("GET", "/_mock/journal/stream", nil), ("GET", "/@mine/_mock/report", nil),
  ]

  @Test("a foreign origin or host reads nothing and changes nothing", arguments: foreign)
  func refusesForeigners(attempt: Attempt) async throws {
    try await withStage { stage in
      _ = try stage.json("/_mock/sandboxes", "POST", "{\"name\":\"mine\"}")
      let before = try stage.json("/_mock/state")
      for change in Self.changes {
        let response = try exchange(stage.server, attempt.wire(change.method, change.path, change.body))
        #expect(response.status == 403, "\(change): \(response.head)")
        #expect(!response.fields.contains { $0.name.hasPrefix("access-control-") }, "\(change)")
        let preflight = try exchange(
          stage.server,
          attempt.wire("OPTIONS", change.path, nil)
            .replacing("\r\n\r\n", with: "\r\nAccess-Control-Request-Method: \(change.method)\r\n\r\n"))
        #expect(!preflight.fields.contains { $0.name.hasPrefix("access-control-") }, "\(change)")
      }
      #expect(try stage.json("/_mock/state") == before)
      #expect(try stage.json("/_mock/scenario")["name"] == "calm")
      #expect(try stage.json("/_mock/clock")["frozen"] == false)
      #expect(try exchange(stage.server, wire("GET", "/_mock/snapshots/taken")).status == 404)
      #expect(try exchange(stage.server, wire("GET", "/_mock/sandboxes/mine")).status == 200)
      #expect(try exchange(stage.server, wire("GET", "/_mock/sandboxes/made-by-attack")).status == 404)
    }
  }

  @Test(
    "requests of this machine's programs and pages, and links to it, are accepted",
    arguments: [
      Attempt(testDescription: "a program"), Attempt(testDescription: "an address", host: "127.0.0.1:8080"),
      Attempt(testDescription: "an address of IPv6", host: "[::1]:8080"),
      Attempt(testDescription: "a sandbox's name", host: "mine.localhost"),
      Attempt(testDescription: "its own page", fields: ["Origin: http://localhost", "Sec-Fetch-Site: same-origin"]),
      Attempt(testDescription: "a typed address", fields: ["Sec-Fetch-Site: none"]),
      Attempt(
        testDescription: "a link that is followed",
        fields: ["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document"]),
    ])
  func letsOwnersIn(attempt: Attempt) async throws {
    try await withStage { stage in
      _ = try stage.json("/_mock/sandboxes", "POST", "{\"name\":\"mine\"}")
      #expect(try exchange(stage.server, attempt.wire("GET", "/_mock/report", nil)).status == 200)
    }
  }

  @Test(
    "without the exact token, a response contains no data",
    arguments: [
      nil, "Authorization:", "Authorization: Bearer", "Authorization: Bearer ", "Authorization: Bearer 0penSesam",
      "Authorization: Bearer 0penSesameX", "Authorization: Bearer 0PENSESAME", "Authorization: Bearer 0penSesame,",
      "Authorization: Basic 0penSesame", "Authorization: 0penSesame", "Authorization: Bearer\u{A0}0penSesame",
      "Authorization: Bearer \u{FF10}penSesame", "Proxy-Authorization: Bearer 0penSesame", "Cookie: token=0penSesame",
      "X-Admin-Token: 0penSesame", "Authorization: Bearer x\r\nAuthorization: Bearer 0penSesame",
    ])
  func wantsTheToken(field: String?) async throws {
    try await withServer({ $0.adminToken = "0penSesame" }) { server in
      for target in ["/_mock/journal", "/_mock/report?token=0penSesame", "/_mock/journal/stream", "/_mock/sandboxes"] {
        let request = field.map { wire("GET", target, $0) } ?? wire("GET", target)
        let response = try exchange(server, request)
        #expect(response.status == 401, "\(target)")
        #expect(response["WWW-Authenticate"] == "Bearer realm=\"understudy\"")
        #expect(!response.head.contains("0penSesame") && !response.text.contains("Bearer 0pen"))
      }
      let right = try exchange(
        server, wire("PUT", "/_mock/scenario", "Authorization: bearer 0penSesame", body: "\"calm\""))
      #expect(right.status == 200)
      #expect(try exchange(server, wire("GET", "/_mock/health")).status == 200)
    }
  }

  @Test("without the token, the responses for an unknown sandbox and an existing one are equal")
  func tellsNoSandbox() async throws {
    try await withServer({ $0.adminToken = "0penSesame" }) { server throws in
      for (method, path) in [
        ("GET", "/_mock/journal"), ("PUT", "/_mock/scenario"), ("GET", "/_mock/nowhere"), ("DELETE", "/_mock/clock"),
        ("OPTIONS", "/_mock/clock"), ("BREW", "/_mock/clock"),
      ] {
        for sandbox in ["unknown", "default"] {
          let inPath = wire(method, "/@\(sandbox)\(path)")
          let inField = wire(method, path, "Understudy-Sandbox: \(sandbox)")
          let inHost = wire(method, path, host: "\(sandbox).localhost")
          for request in [inPath, inField, inHost] {
            #expect(try exchange(server, request).status == 401, "\(request)")
          }
        }
      }
      let token = "Authorization: Bearer 0penSesame"
      #expect(try exchange(server, wire("GET", "/@unknown/_mock/journal", token)).status == 404)
    }
  }

  @Test(
    "no name can leave its segment of the path",
    arguments: [
      "..", "../../etc/passwd", "/etc/passwd", "a/b", ".", "a\\b", "a\u{0}b", "a%2Fb", "Ä", "", "-a", "a-", "a b",
    ])
  func keepsNamesInPlace(name: String) async throws {
    try await withStage { stage in
      let made = try exchange(
        stage.server, wire("POST", "/_mock/sandboxes", body: (["name": .string(name)] as JSONValue).text))
      #expect(made.status == 400, "\(made.head)")
      let encoded = name.utf8.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
      let taken = try exchange(stage.server, wire("PUT", "/_mock/snapshots/\(encoded)"))
      #expect([400, 404, 405].contains(taken.status), "\(taken.head)")
      let armed = try exchange(stage.server, wire("PUT", "/_mock/scenario", body: JSONValue.string(name).text))
      #expect(armed.status == 400, "a name in a request is never a file name")
      #expect(!armed.text.contains("root:"))
      let sandbox = try exchange(stage.server, wire("GET", "/devices", "Understudy-Sandbox: x\(encoded)"))
      #expect(sandbox.status == 404)
      #expect(try stage.json("/_mock/sandboxes")["sandboxes"]?.array?.count == 1)
    }
  }
}

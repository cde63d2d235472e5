import LiveTesting
import Primitives
import Testing

@testable import Contract
@testable import Understudy

@Suite("The page at /")
struct FrontPageTests {
  private static let browser = "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"

  private static func links(_ response: WireResponse) -> [String] {
    response.text.matches(of: /<a href="([^"]*)"/).map { String($0.1) }
  }

  @Test("links a browser to each API, the dashboard and the document")
  func leadsOn() async throws {
    try await withServer { server in
      let response = try exchange(server, wire("GET", "/", Self.browser))
      #expect(response.status == 200 && response["Content-Type"] == "text/html; charset=utf-8")
      #expect(response["Vary"]?.hasPrefix("Accept, Understudy-Sandbox") == true, "others get a problem here")
      #expect(response["Referrer-Policy"] == "no-referrer")
      #expect(!response.text.contains("This is the sandbox"), "only an existing sandbox is named")
      let links = Self.links(response)
      #expect(links == ["/devices", "/activities", "/rooms", "/users", "/rooms.json", "/_mock/", "/openapi.yaml"])
      for link in links { #expect(try exchange(server, wire("GET", link)).status == 200, "\(link)") }
    }
  }

  @Test(
    "lists every operation as text to a client that prefers text or takes anything",
    arguments: ["Accept: */*", "Accept: text/plain", "Accept: text/*, application/json"])
  func listsOperations(field: String) async throws {
    try await withServer { server in
      // The two alternate: the cached route of one must not be used for the other.
      for _ in 0..<2 {
        #expect(try exchange(server, wire("GET", "/", Self.browser))["Content-Type"] == "text/html; charset=utf-8")
        let response = try exchange(server, wire("GET", "/", field))
        #expect(response.status == 200 && response["Content-Type"] == "text/plain; charset=utf-8")
        let lines = response.text.split(separator: "\n").map { line in
          line.split(separator: " ").prefix(2).joined(separator: " ")
        }
        for operation in API.all.flatMap(\.operations) where operation.semantics.isMerged {
          #expect(lines.contains("\(operation.method.rawValue) \(operation.path.text)"))
        }
        #expect(lines.contains("Dashboard /_mock/") && lines.contains("Document /openapi.yaml"))
        #expect(!response.text.contains("<") && !response.text.contains("This is the sandbox"))
      }
    }
  }

  @Test("names the sandbox in the text, and the paths with its label")
  func labelsInText() async throws {
    try await withStage { stage in
      _ = try stage.json("/_mock/sandboxes", "POST", #"{"name":"ci-42"}"#)
      let text = try exchange(stage.server, wire("GET", "/@ci-42/", "Accept: */*")).text
      #expect(text.contains("This is the sandbox ci-42:") && text.contains("GET /@ci-42/devices\n"), "\(text)")
      #expect(text.contains("Dashboard  /@ci-42/_mock/\n"))
    }
  }

  @Test(
    "is not sent to a client that prefers data",
    arguments: [
      "Accept: application/json", "Accept: text/html;q=0", "Accept: application/json, text/html;q=0.9",
      "Accept: application/json, text/plain, */*", "X: y", "Accept:",
      "Accept: */*\r\nOrigin: https://app.example",
    ])
  func isForPeople(field: String) async throws {
    try await withServer { server in
      // The two alternate: the cached route of one must not be used for the other.
      for _ in 0..<2 {
        #expect(try exchange(server, wire("GET", "/", Self.browser)).status == 200)
        let other = try exchange(server, wire("GET", "/", field))
        #expect(other.status == 404 && other["Content-Type"] == "application/problem+json")
        #expect(
          other.fields.filter { $0.name == "vary" }.map(\.value) == ["Accept, Understudy-Sandbox, Prefer, Origin"])
      }
    }
  }

  @Test("refuses other methods, and names its own in Allow", arguments: ["POST", "PUT", "PATCH", "DELETE", "TRACE"])
  func otherMethods(method: String) async throws {
    try await withServer { server in
      let response = try exchange(server, wire(method, "/"))
      #expect(response.status == 405 && response["Allow"] == "GET, HEAD, OPTIONS")
      #expect(try exchange(server, wire("OPTIONS", "/"))["Allow"] == response["Allow"])
    }
  }

  @Test("keeps the labels in its links")
  func keepsLabels() async throws {
    try await withStage { stage in
      _ = try stage.json("/_mock/sandboxes", "POST", #"{"name":"ci-42"}"#)
      let byPath = try exchange(stage.server, wire("GET", "/@ci-42/", Self.browser))
      #expect(Self.links(byPath).allSatisfy { $0.hasPrefix("/@ci-42/") } && byPath.text.contains("ci-42</b>"))
      let byHost = try exchange(stage.server, wire("GET", "/", Self.browser, host: "ci-42.localhost"))
      #expect(Self.links(byHost).first == "/devices" && byHost.text.contains("ci-42</b>"))
      let booking = try exchange(stage.server, wire("GET", "/", Self.browser, host: "booking.localhost:81"))
      #expect(
        Self.links(booking) == [
          "http://localhost:81/@devices/devices", "http://localhost:81/@activities/activities",
          "http://localhost:81/@house/rooms", "http://localhost:81/@users/users", "/rooms.json", "/_mock/",
          "/openapi.yaml",
        ])
      let both = try exchange(stage.server, wire("GET", "/@ci-42/@booking/", Self.browser))
      #expect(Self.links(both).contains("/@ci-42/@booking/rooms.json"))
      #expect(Self.links(both).contains("http://localhost/@ci-42/@users/users"))
      let upstream = try exchange(stage.server, wire("GET", "/", Self.browser, host: "wetransfer.github.io"))
      #expect(Self.links(upstream) == ["/rooms.json", "/_mock/", "/openapi.yaml"])
      #expect(try exchange(stage.server, wire("GET", "/@unknown/", Self.browser)).status == 404)
    }
  }

  @Test("has no faults, no journal entry and no token")
  func isNoTraffic() async throws {
    try await withStage(#"{"effect":{"status":503}}"#) { stage throws in
      #expect(try exchange(stage.server, wire("GET", "/", Self.browser)).status == 200)
      #expect(try stage.requests().isEmpty)
    }
    try await withServer({ $0.adminToken = "secret" }) { server throws in
      #expect(try exchange(server, wire("GET", "/", Self.browser)).status == 200)
    }
  }

  @Test("has a policy that allows only its own style")
  func isStrict() async throws {
    try await withServer { server in
      let response = try exchange(server, wire("GET", "/", Self.browser))
      let policy = try #require(response["Content-Security-Policy"])
      let hash = SHA256.base64(Array(FrontPage.style.utf8))
      #expect(policy.hasPrefix("default-src 'none'; style-src 'sha256-\(hash)';"), "\(policy)")
      #expect(response.text.contains("<style>\(FrontPage.style)</style>"))
      #expect(!response.text.contains("<script") && !policy.contains("unsafe"))
      let head = try exchange(server, wire("HEAD", "/", Self.browser))
      #expect(head.status == 200 && head.body.isEmpty && head["Content-Length"] == response["Content-Length"])
    }
  }
}

/// SHA-256 (FIPS 180-4 §6.2), for a policy that names a style by its hash.
private enum SHA256 {
  static func base64(_ message: [UInt8]) -> String {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
    var text = ""
    let bytes = digest(message)
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = (0..<3).map { start + $0 < bytes.count ? UInt32(bytes[start + $0]) : 0 }
      let bits = group[0] << 16 | group[1] << 8 | group[2]
      for (index, shift) in [UInt32(18), 12, 6, 0].enumerated() {
        text.append(start + index <= bytes.count ? alphabet[Int(bits >> shift & 63)] : "=")
      }
    }
    return text
  }

  private static let primes: [UInt32] = (2...311).filter { n in !(2..<n).contains { n % $0 == 0 } }.map { UInt32($0) }

  /// The first 32 bits of the fractional part of a root.
  private static func fraction(_ root: Double) -> UInt32 { UInt32((root - root.rounded(.down)) * 0x1p32) }

  private static func cubeRoot(_ value: Double) -> Double {
    var root = value
    for _ in 0..<100 { root -= (root * root * root - value) / (3 * root * root) }
    return root
  }

  private static func digest(_ message: [UInt8]) -> [UInt8] {
    var padded = message + [0x80]
    while padded.count % 64 != 56 { padded.append(0) }
    padded += (0..<8).map { UInt8(truncatingIfNeeded: (message.count * 8) >> (56 - 8 * $0)) }
    var hash = primes.prefix(8).map { fraction(Double($0).squareRoot()) }
    let constants = primes.prefix(64).map { fraction(cubeRoot(Double($0))) }
    func rotate(_ word: UInt32, _ count: UInt32) -> UInt32 { word >> count | word << (32 - count) }
    for block in stride(from: 0, to: padded.count, by: 64) {
      var words = (0..<16).map { word in (0..<4).reduce(UInt32(0)) { $0 << 8 | UInt32(padded[block + word * 4 + $1]) } }
      for i in 16..<64 {
        let s0: UInt32 = rotate(words[i - 15], 7) ^ rotate(words[i - 15], 18) ^ (words[i - 15] >> 3)
        let s1: UInt32 = rotate(words[i - 2], 17) ^ rotate(words[i - 2], 19) ^ (words[i - 2] >> 10)
        words.append(words[i - 16] &+ s0 &+ words[i - 7] &+ s1)
      }
      var v = hash
      for i in 0..<64 {
        let s1: UInt32 = rotate(v[4], 6) ^ rotate(v[4], 11) ^ rotate(v[4], 25)
        let choice: UInt32 = (v[4] & v[5]) ^ (~v[4] & v[6])
        let first: UInt32 = v[7] &+ s1 &+ choice &+ constants[i] &+ words[i]
        let s0: UInt32 = rotate(v[0], 2) ^ rotate(v[0], 13) ^ rotate(v[0], 22)
        let majority: UInt32 = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2])
        let second = s0 &+ majority
        v = [first &+ second, v[0], v[1], v[2], v[3] &+ first, v[4], v[5], v[6]]
      }
      hash = zip(hash, v).map { $0 &+ $1 }
    }
    return hash.flatMap { word in [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: word >> $0) } }
  }
}

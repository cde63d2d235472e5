import Foundation
import JSON
import LiveTesting
import Primitives
import Testing

@testable import Understudy

@Suite("Links behind a proxy")
struct ForwardingTests {
  private func link(_ server: MockServer, _ fields: String) throws -> String {
    let lines = fields.isEmpty ? "" : fields + "\r\n"
    let request = "GET /rooms.json HTTP/1.1\r\nHost: localhost:8080\r\n\(lines)\r\n"
    let rooms = try JSONValue(parsing: try exchange(server, request).body)["rooms"]?.array
    return String(rooms?.first?["thumbnail"]?.string?.dropLast("/image/Ljerka".count) ?? "")
  }

  @Test(
    "use the outermost proxy's fields",
    arguments: [
      ("", "http://localhost:8080"),
      ("X-Forwarded-Proto: https", "https://localhost:8080"),
      ("X-Forwarded-Proto: httpsx", "http://localhost:8080"),
      ("X-Forwarded-Proto: https, http", "https://localhost:8080"),
      ("X-Forwarded-Proto: https\r\nX-Forwarded-Proto: http", "https://localhost:8080"),
      ("X-Forwarded-Proto: http, https", "http://localhost:8080"),
      ("X-Forwarded-Proto:\r\nX-Forwarded-Proto: HTTPS", "https://localhost:8080"),
      ("X-Forwarded-Host: api.example, inner", "http://api.example"),
      ("X-Forwarded-Host: api.example:81", "http://api.example:81"),
      ("X-Forwarded-Host: [2001:db8::1]\r\nX-Forwarded-Port: 81, 82", "http://[2001:db8::1]:81"),
      ("X-Forwarded-Host: api.example\r\nX-Forwarded-Proto: https\r\nX-Forwarded-Port: 443", "https://api.example"),
      ("X-Forwarded-Port: 9", "http://localhost:9"),
      ("Forwarded: for=10.0.0.1;proto=https;host=\"api.example:81\", for=10.0.0.2;host=b", "https://api.example:81"),
      ("Forwarded: Host=api.example ; PROTO=https\r\nX-Forwarded-Host: other", "https://api.example"),
      ("Forwarded: host=\"\\a\\pi.example\"", "http://api.example"),
      ("Forwarded: for=\"a,b;c\";proto=https\r\nX-Forwarded-Host: api.example", "https://api.example"),
      ("Forwarded:\r\nForwarded: proto=https", "https://localhost:8080"),
      ("Forwarded: proto=https\r\nX-Forwarded-Proto: http", "https://localhost:8080"),
      ("Forwarded: host=api.example\r\nX-Forwarded-Port: 81", "http://api.example"),
      ("X-Forwarded-Proto: https\r\nX-Forwarded-Port: 80", "https://localhost:80"),
      ("X-Forwarded-Prefix: /mock", "http://localhost:8080/mock"),
      ("X-Forwarded-Prefix: /a/b%20c/, /inner", "http://localhost:8080/a/b%20c"),
      ("X-Forwarded-Prefix: /", "http://localhost:8080"),
      ("Forwarded: host=api.example\r\nX-Forwarded-Prefix: /mock/", "http://api.example/mock"),
    ])
  func followed(fields: String, origin: String) async throws {
    try await withServer { server throws in
      #expect(try link(server, fields) == origin)
    }
  }

  @Test(
    "ignore malformed fields",
    arguments: [
      "X-Forwarded-Proto: javascript", "X-Forwarded-Host: a b", "X-Forwarded-Host: a/b", "X-Forwarded-Host: u@a",
      "X-Forwarded-Host: \"><script>", "X-Forwarded-Host: a:99999", "X-Forwarded-Port: 0", "X-Forwarded-Port: +1",
      "X-Forwarded-Port: 65536", "X-Forwarded-Port: 1x", "Forwarded: host", "Forwarded: host=a b",
      "Forwarded: host=\"a", "Forwarded: host=\"a/b\"", "Forwarded: host=a;host=b", "Forwarded: =a",
      "Forwarded: proto=ftp", "X-Forwarded-Prefix: mock", "X-Forwarded-Prefix: //evil.example",
      "X-Forwarded-Prefix: /a/../b", "X-Forwarded-Prefix: /a\"><script>", "X-Forwarded-Prefix: /a?b",
      "Forwarded: h\u{F6}st=a;host=b",
    ])
  func ignored(fields: String) async throws {
    try await withServer { server throws in
      #expect(try link(server, fields) == "http://localhost:8080")
    }
  }

  @Test("a prefix that a proxy removed is in every URL: of pages, of sandboxes, of the page at / and of a new user")
  func prefix() async throws {
    try await withServer { server in
      let field = "X-Forwarded-Prefix: /mock"
      let made = try exchange(server, wire("POST", "/_mock/sandboxes", field, body: #"{"name":"cellar","port":0}"#))
      let addresses = try JSONValue(parsing: made.body)
      #expect(addresses["url"]?.string == "http://localhost:\(addresses["port"]?.int ?? 0)", "a port has no prefix")
      let named = try exchange(server, wire("POST", "/_mock/sandboxes", field, body: #"{"name":"attic"}"#))
      #expect(try JSONValue(parsing: named.body)["urls"]?["users"] == "http://localhost/mock/@attic/@users")
      let user = try exchange(server, wire("POST", "/@users/users", field, body: "{}"))
      #expect(user["Location"] == "http://localhost/mock/@users/users/11")
      let page = try exchange(server, wire("GET", "/@users/users?_page=1", field))
      #expect(page["Link"]?.hasPrefix("<http://localhost/mock/@users/users?_page=1>") == true)
      let front = try exchange(server, wire("GET", "/", field, "Accept: text/html")).text
      #expect(front.contains(#"href="/mock/devices""#) && front.contains(#"href="/mock/_mock/""#))
    }
  }

  @Test(
    "a cache is told to compare what the proxy says, only where the response has links",
    arguments: [
      ("/rooms.json", true), ("/@booking/rooms", true), ("/users?_page=2&_limit=3", true), ("/users", false),
      ("/devices", false), ("/image/Mina", false), ("/nowhere", false),
    ])
  func vary(target: String, isLinked: Bool) async throws {
    try await withServer { server throws in
      for fields in ["X-Forwarded-Proto: https", "Origin: http://a.example"] {
        let response = try exchange(server, wire("GET", target, fields))
        let names = response["Vary"]?.components(separatedBy: ", ") ?? []
        #expect(names.starts(with: ["Understudy-Sandbox", "Prefer", "Origin"]))
        let forwarding = [
          "Forwarded", "X-Forwarded-Proto", "X-Forwarded-Host", "X-Forwarded-Port", "X-Forwarded-Prefix",
        ]
        #expect(names.dropFirst(3).elementsEqual(isLinked ? forwarding : []))
      }
    }
  }

  @Test("a response that only confirms the one with links names the same fields")
  func notModified() async throws {
    try await withServer { server throws in
      let tag = try #require(try exchange(server, wire("GET", "/rooms.json"))["ETag"])
      let response = try exchange(server, wire("GET", "/rooms.json", "If-None-Match: \(tag)"))
      #expect(response.status == 304)
      #expect(response["Vary"]?.hasSuffix("X-Forwarded-Prefix") == true)
    }
  }

  @Test("use the receiving port for an HTTP/1.0 request without Host, whatever address another client used before")
  func withoutHost() async throws {
    try await withServer({ $0.apiPorts = 0 }) { server in
      let other = try exchange(server, wire("GET", "/rooms.json", host: "other.test:99"))
      #expect(other.text.contains("http://other.test:99/image/"))
      let merged = try exchange(server, "GET /rooms.json HTTP/1.0\r\n\r\n")
      #expect(merged.text.contains("http://localhost:\(server.port)/image/Ljerka"))
      let port = try #require(server.apiPorts["booking"])
      let own = try exchange(server, "GET /rooms HTTP/1.0\r\n\r\n", port: port)
      #expect(own.text.contains("http://localhost:\(port)/image/Ljerka"))
    }
  }

  @Test("do not affect access to the control API, which depends on Host")
  func access() async throws {
    try await withServer { server throws in
      for field in ["X-Forwarded-Host: localhost", "Forwarded: host=localhost"] {
        #expect(try exchange(server, wire("GET", "/_mock/journal", field, host: "attacker.example")).status == 403)
        let page = "Origin: http://attacker.example"
        #expect(try exchange(server, wire("GET", "/_mock/journal", field, page)).status == 403)
      }
      let forwarded = "X-Forwarded-Host: attacker.example"
      let page = "Origin: http://attacker.example"
      #expect(try exchange(server, wire("GET", "/_mock/journal", forwarded, page)).status == 403)
    }
  }
}

import JSON
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
    "they follow what the outermost proxy says",
    arguments: [
      ("", "http://localhost:8080"),
      ("X-Forwarded-Proto: https", "https://localhost:8080"),
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
    ])
  func followed(fields: String, origin: String) async throws {
    try await withServer { server throws in
      #expect(try link(server, fields) == origin)
    }
  }

  @Test(
    "what is not well-formed is ignored",
    arguments: [
      "X-Forwarded-Proto: javascript", "X-Forwarded-Host: a b", "X-Forwarded-Host: a/b", "X-Forwarded-Host: u@a",
      "X-Forwarded-Host: \"><script>", "X-Forwarded-Host: a:99999", "X-Forwarded-Port: 0", "X-Forwarded-Port: +1",
      "X-Forwarded-Port: 65536", "X-Forwarded-Port: 1x", "Forwarded: host", "Forwarded: host=a b",
      "Forwarded: host=\"a", "Forwarded: host=\"a/b\"", "Forwarded: host=a;host=b", "Forwarded: =a",
      "Forwarded: proto=ftp", "Forwarded: h\u{F6}st=a;host=b",
    ])
  func ignored(fields: String) async throws {
    try await withServer { server throws in
      #expect(try link(server, fields) == "http://localhost:8080")
    }
  }

  @Test("Location, Link and the URLs of a sandbox follow it, too")
  func everyLink() async throws {
    try await withServer { server in
      let proxy = ["X-Forwarded-Proto: https", "X-Forwarded-Host: api.example"]
      let post = try exchange(server, wire("POST", "/users", proxy[0], proxy[1], body: "{}"))
      #expect(post["Location"] == "https://api.example/users/11")
      let page = try exchange(server, wire("GET", "/users?_page=1", proxy[0], proxy[1]))
      #expect(page["Link"]?.contains("<https://api.example/users?_page=1") == true)
      let made = try exchange(server, wire("POST", "/_mock/sandboxes", proxy[0], proxy[1], body: "{\"name\":\"ci\"}"))
      #expect(made.text.contains("https://api.example/@ci"), "\(made.text)")
    }
  }

  @Test("HTTP/1.0 without Host gets the port that it came by")
  func withoutHost() async throws {
    try await withServer(.preferred, { $0.apiPorts = 0 }) { server in
      let merged = try exchange(server, "GET /rooms.json HTTP/1.0\r\n\r\n")
      #expect(merged.text.contains("http://localhost:\(server.port)/image/Ljerka"))
      let port = try #require(server.apiPorts["booking"])
      let own = try exchange(server, "GET /rooms HTTP/1.0\r\n\r\n", port: port)
      #expect(own.text.contains("http://localhost:\(port)/image/Ljerka"))
    }
  }

  @Test("access to the control API goes by the request's own Host")
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

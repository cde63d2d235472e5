import Contract
import JSON
import LiveTesting
import Testing

@testable import Understudy

/// A browser's handling of responses that repeat a client's text.
@Suite("Responses in a browser")
struct InertPageTests {
  private static let script = "%3Cscript%3Ealert(1)%3C%2Fscript%3E"

  private static func isInert(_ response: WireResponse) -> Bool {
    response["Content-Security-Policy"] == "sandbox; default-src 'none'; frame-ancestors 'none'"
      && response["X-Content-Type-Options"] == "nosniff"
  }

  @Test(
    "are inert for the APIs, the control API, errors and faults",
    arguments: [
      wire("GET", "/devices"), wire("HEAD", "/devices"), wire("OPTIONS", "/devices"), wire("GET", "/image/Ljerka"),
      wire("GET", "/devices/\(script)"), wire("GET", "/@\(script)/devices"), wire("PUT", "/devices", body: "{}"),
      wire("POST", "/users", body: "{\"name\":\"<script>\"}"), wire("BREW", "/\(script)"), wire("GET", "/users/999"),
      wire("GET", "/_mock/state"), wire("GET", "/_mock/\(script)"), wire("GET", "/_mock/report?format=text"),
      wire("GET", "/_mock/journal?\(script)=1"), wire("GET", "/_mock/metrics"), wire("GET", "/openapi.yaml"),
      wire("GET", "/_mock/health"), wire("GET", "/_mock/sandboxes", "Origin: http://a.example"),
      wire("GET", "/devices", "Prefer: fault=wrong-type"), wire("GET", "/devices", "Prefer: fault=captive-portal"),
      wire("GET", "/devices", "Prefer: fault=corrupt"), wire("GET", "/devices", "Prefer: code=503"),
      wire("GET", "/devices", "Prefer: fault=bad-chunk"), wire("GET", "/devices", "Prefer: fault=stall; for=1ms"),
      "GET / HTTP/1.1\r\n\r\n", "<script> HTTP/1.1\r\n\r\n", wire("GET", "/", version: "2.0"),
      wire("GET", "/devices", "If-None-Match: *"),
    ])
  func isInert(request: String) async throws {
    try await withServer { server in
      let client = try WireConnection(server.port)
      try client.send(request)
      let head = try client.response(toHead: true)
      #expect(Self.isInert(head), "\(request): \(head.head)")
      client.hangUp()
    }
  }

  @Test("are inert for the journal's stream")
  func streamIsInert() async throws {
    try await withServer { server in
      let client = try WireConnection(server.port)
      try client.send(wire("GET", "/_mock/journal/stream"))
      #expect(Self.isInert(try client.response(toHead: true)))
      client.hangUp()
    }
  }

  @Test("contain no tag if a fault labels JSON as text/html, and are the same JSON")
  func escapesTags() async throws {
    try await withServer { server in
      let body = "{\"name\":\"<script>alert(1)</script>\"}"
      let fields = ["Content-Type: application/json", "Prefer: fault=wrong-type"].joined(separator: "\r\n")
      let response = try exchange(server, wire("POST", "/users", fields, body: body))
      #expect(response["Content-Type"] == "text/html; charset=utf-8")
      #expect(!response.text.contains("<") && response.text.contains("\\u003Cscript>"))
      #expect(try JSONValue(parsing: response.body)["name"] == "<script>alert(1)</script>")
      let missing = try exchange(server, wire("GET", "/devices/\(Self.script)", "Prefer: fault=wrong-type"))
      #expect(missing.status == 404 && !missing.text.contains("<"))
      #expect(try JSONValue(parsing: missing.body)["detail"]?.string?.contains("<script>") == true)
    }
  }

  @Test("have a policy for the report's page that allows only its own script and style, in an origin of its own")
  func reportIsStrict() async throws {
    try await withServer { server in
      let page = try exchange(server, wire("GET", "/_mock/report?format=html"))
      let policy = try #require(page["Content-Security-Policy"])
      let nonce = try #require(policy.firstMatch(of: /style-src 'nonce-(\w+)'/)?.1)
      #expect(page.text.contains("<style nonce=\"\(nonce)\">"))
      #expect(policy.hasPrefix("default-src 'none'; "))
      #expect(policy.hasSuffix("frame-ancestors 'none'; sandbox allow-scripts") && !policy.contains("unsafe"))
      let again = try exchange(server, wire("GET", "/_mock/report?format=html"))
      #expect(again["Content-Security-Policy"] != policy, "each page has its own nonce")
      #expect(Self.isInert(try exchange(server, wire("GET", "/_mock/report?format=json"))))
    }
  }
}

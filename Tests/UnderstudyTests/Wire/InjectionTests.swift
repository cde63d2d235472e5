import JSON
import LiveTesting
import Primitives
import Report
import Testing

@testable import Understudy

/// A client's text must not end a line, a value or an event.
@Suite("The text of a client")
struct InjectionTests {
  private static let lineBreak = "\r\nX-Injected: 1\r\n\r\nHTTP/1.1 200 OK"
  private static let encoded = "%0d%0aX-Injected:%201%0D%0A%0d%0a%E5%98%8D%E5%98%8AX-Injected:1%00%1b%5b2J"

  /// Every line of a head is a separate field in printable characters.
  private func expectClean(_ response: WireResponse, _ note: String) {
    #expect(response["X-Injected"] == nil, "\(note)")
    let lines = response.head.split(separator: "\r\n", omittingEmptySubsequences: false)
    for line in lines.dropFirst().dropLast(2) {
      #expect(line.contains(": ") && line.unicodeScalars.allSatisfy { $0 >= " " && $0 != "\u{7F}" }, "\(note): \(line)")
    }
  }

  @Test(
    "adds no line to a response's head, whether in a target, a label or a field",
    arguments: [
      wire("GET", "/@\(encoded)/devices"), wire("GET", "/\(encoded)"), wire("GET", "/devices/\(encoded)"),
      wire("GET", "/users?_page=2&_limit=2&x=\(encoded)"), wire("GET", "/users?_page=2&_limit=2&\(encoded)=1"),
      wire("GET", "/users?_page=2&_limit=2&x=%22%3E;rel=next,%3Chttp://a.example"),
      wire("GET", "/devices", "Understudy-Sandbox: a\u{85}X-Injected: 1"),
      wire("GET", "/devices", "Prefer: code=503; retry-after=\"2s\u{85}X-Injected: 1\""),
      wire("GET", "/devices", "Prefer: fault=\"reset\\\r\\\nX-Injected\""),
      wire("GET", "/devices", "Prefer: delay=\"1ms\", code=\"503 X-Injected: 1\""),
      wire("GET", "/devices", "Fault-Key: \u{9B}2J\u{2028}X-Injected: 1"),
      wire("GET", "/_mock/snapshots/\(encoded)"), wire("PUT", "/_mock/snapshots/\(encoded)"),
      wire("GET", "/_mock/plan?method=GET&path=\(encoded)"), wire("GET", "/_mock/journal?after=\(encoded)"),
      wire("GET", "/_mock/report?format=\(encoded)"), wire("GET", "/_mock/sandboxes/\(encoded)"),
      wire("POST", "/_mock/sandboxes", body: "{\"name\":\"a\\r\\nX-Injected: 1\"}"),
      wire("POST", "/_mock/sandboxes", host: "localhost\u{85}X-Injected", body: "{\"name\":\"b\"}"),
      wire("POST", "/_mock/sandboxes", host: "a.localhost%0d%0aX-Injected:1", body: "{\"name\":\"c\"}"),
      wire("POST", "/_mock/sandboxes", "Host: a", host: "localhost\rX-Injected: 1", body: "{\"name\":\"d\"}"),
      wire("POST", "/users", body: "{\"id\":\"\\r\\nX-Injected: 1\",\"name\":\"\\r\\nX-Injected: 1\"}"),
      wire(
        "OPTIONS", "/devices", "Origin: http://a", "Access-Control-Request-Method: PUT",
        "Access-Control-Request-Headers: a\u{85}X-Injected: 1, \u{1}"),
      wire("G\u{1B}T", "/"), wire("GET", "/\u{1B}[2J"), "GET / HTTP/1.1\r\nHost: a\r\nX: \u{0}\r\n\r\n",
    ])
  func keepsHeadsWhole(request: String) async throws {
    try await withServer { server in
      let response = try exchange(server, request)
      expectClean(response, request)
      #expect(response["Location"].map { $0.hasPrefix("http://localhost/") } ?? true)
    }
  }

  @Test("does not get into Location, which has this server's address and a checked name")
  func locates() async throws {
    try await withServer { server in
      let response = try exchange(
        server, wire("POST", "/_mock/sandboxes", host: "x.localhost:81", body: "{\"name\":\"s\"}"))
      #expect(response.status == 404, "the label is an unknown sandbox")
      let made = try exchange(server, wire("POST", "/_mock/sandboxes", host: "LOCALHOST:81", body: "{\"name\":\"s\"}"))
      #expect(made["Location"] == "http://localhost:81/_mock/sandboxes/s")
    }
  }

  @Test("cannot inject into a head, a page, a file or a terminal as the name of a rule or a scenario")
  func tamesNames() async throws {
    try await withStage { stage in
      for control in [Self.lineBreak, "\u{1B}[2J", "\u{9B}2J", "a\u{0}", "a\u{7F}", "a\u{85}b"] {
        let name = JSONValue.string(control).text
        for scenario in [
          "{\"name\": \(name), \"rules\": []}",
          "{\"name\": \"a\", \"rules\": [{\"name\": \(name), \"effect\": {\"status\": 503}}]}",
        ] {
          let refused = try exchange(stage.server, wire("PUT", "/_mock/scenario", body: scenario))
          #expect(refused.status == 400, "\(name)")
          expectClean(refused, name)
        }
      }
      let name = JSONValue.string("\u{2028}\u{202E}<script>alert(1)</script>]]>\"'&é\u{301}").text
      let scenario = """
        {"name": \(name), "rules": [{"name": \(name), "effect": {"status": 503}},
        {"name": "never met\\u202e\\u2066", "match": {"path": "/users/0"}, "effect": {"status": 500}}]}
        """
      let put = try exchange(stage.server, wire("PUT", "/_mock/scenario", body: scenario))
      #expect(put.status == 200, "\(put.text)")
      expectClean(put, "PUT")
      let faulted = try exchange(stage.server, wire("GET", "/devices?<script>alert(1)</script>\"'&"))
      expectClean(faulted, "GET")
      #expect(faulted["Understudy-Fault"]?.utf8.allSatisfy { (0x20...0x7E).contains($0) } == true)
      for form in ["text", "html", "junit", "json"] {
        let report = try exchange(stage.server, wire("GET", "/_mock/report?format=\(form)"))
        #expect(report.status == 200)
        let isPlain = report.text.unicodeScalars.allSatisfy {
          $0 == "\n"
            || $0 >= " " && !("\u{7F}"..."\u{9F}").contains($0) && !("\u{202A}"..."\u{202E}").contains($0)
              && $0 != "\u{2066}"
        }
        #expect(isPlain || form == "json", "\(form)")
        #expect(!report.text.contains("\u{1B}"))
        #expect(form == "text" || form == "json" || !report.text.contains("<script>alert"), "\(form)")
      }
      let journal = try exchange(stage.server, wire("GET", "/_mock/journal", "Accept: application/jsonl"))
      #expect(journal.text.split(separator: "\n").allSatisfy { (try? JSONValue(parsing: String($0))) != nil })
      #expect(!journal.text.contains("\u{1B}") && !journal.text.contains("\r"))
    }
  }

  @Test("cannot forge an event in the journal's stream")
  func forgesNoEvent() async throws {
    try await withStage { stage in
      let reader = try WireConnection(stage.server.port)
      try reader.send("GET /_mock/journal/stream HTTP/1.0\r\nHost: localhost\r\n\r\n")
      _ = try reader.response()
      let forged = "x\n\nid: 999\ndata: {\"forged\":true}\n\n\r\n\r\rdata: 1\u{2028}"
      _ = try exchange(stage.server, wire("POST", "/users", "X-A: data: {}", body: forged))
      _ = try exchange(stage.server, wire("GET", "/users/%0a%0adata:%201"))
      let text = try #require(reader.text { $0.contains("/users/%0a%0adata:%201") && $0.hasSuffix("\n\n") })
      // A field of an event ends at CR, LF or both (HTML standard, section 9.2.5). A line of a colon keeps the stream
      // alive.
      for line in text.split(
        omittingEmptySubsequences: true,
        whereSeparator: { "\r\n".unicodeScalars.contains($0.unicodeScalars.first ?? " ") })
      {
        guard line != ":" else { continue }
        guard line.hasPrefix("data: ") else {
          #expect(Int(line.dropFirst(4)).map { $0 < 999 } == true, "\(line)")
          continue
        }
        let entry = try JSONValue(parsing: String(line.dropFirst(6)))
        #expect(entry["id"] != nil && entry["forged"] == nil)
      }
      reader.hangUp()
    }
  }

  private static let secrets: [(field: String, secret: String)] = [
    ("Authorization: Bearer s3cret-one", "s3cret-one"), ("authorization:\tBasic czNjcmV0LXR3bw==", "czNjcmV0"),
    ("AUTHORIZATION: s3cret-three  \t", "s3cret-three"), ("Cookie: sid=s3cret-four; theme=dark", "s3cret-four"),
    ("Proxy-Authorization: Digest s3cret-five", "s3cret-five"), ("X: 1\r\nCookie: s3cret-six\r\nY: 2", "s3cret-six"),
    ("Cookie: a=s3cret-7\r\nCookie: b=s3cret-8", "s3cret-"), ("Authorization:", "Authorization: Bearer"),
  ]

  @Test("is masked if it is secret, in the journal and in all views", arguments: [nil, "0penSesame"])
  func keepsNoSecrets(token: String?) async throws {
    let owner = token.map { "Authorization: Bearer \($0)" } ?? "X-Owner: 1"
    try await withServer({ $0.adminToken = token }) { server in
      let stream = try WireConnection(server.port)
      try stream.send("GET /_mock/journal/stream HTTP/1.0\r\nHost: localhost\r\n\(owner)\r\n\r\n")
      #expect(try stream.response().status == 200)
      for (field, _) in Self.secrets {
        _ = try exchange(server, wire("POST", "/book", field, "X-Last: kept", body: "{\"name\":\"Ljerka\"}"))
        _ = try exchange(server, wire("GET", "/nowhere", field, owner))
      }
      var shown = ["/_mock/journal", "/_mock/report", "/_mock/report?format=html", "/_mock/state"]
        .map { target in (try? exchange(server, wire("GET", target, owner)).text) ?? "" }
      shown.append(
        try #require(stream.text { $0.components(of: "\"outcome\":\"sent\"") >= 2 * Self.secrets.count }))
      stream.hangUp()
      let kept = await withCheckedContinuation { continuation in
        server.jobs.post { loop in
          let journal = loop.application.state.sandboxes.all[0].traffic.journal
          let texts = journal.entries(after: 0, limit: .max).map(\.texts.bytes)
          continuation.resume(returning: String(decoding: texts.joined(), as: UTF8.self))
        }
      }
      shown.append(kept)
      for text in shown {
        #expect(!text.isEmpty)
        for (_, secret) in Self.secrets { #expect(!text.contains(secret)) }
        #expect(!text.contains("0penSesame"))
      }
      #expect(shown[0].contains(/"Cookie":"\(masked-[0-9a-f]+\)"/) && shown[0].contains("\"X-Last\":\"kept\""))
      #expect(shown[0].contains(/"Cookie":"\(masked-[0-9a-f]+\), \(masked-[0-9a-f]+\)"/))
    }
  }
}

extension String {
  fileprivate func components(of text: String) -> Int { ranges(of: text).count }
}

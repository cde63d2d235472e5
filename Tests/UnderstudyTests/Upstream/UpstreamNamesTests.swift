import Foundation
import JSON
import LiveTesting
import Testing

@testable import Understudy

@Suite("In front of a backend, names and outcomes", .live)
struct UpstreamNamesTests {
  @Test(
    "the backend sees its own name, and its client this server's",
    arguments: [
      (nil, "localhost:8080", "localhost:8080"), ("client", "shop.test:8080", "shop.test:8080"),
      ("api.example", "localhost:8080", "api.example"), (nil, "ci.localhost:8080", "localhost:8080"),
    ] as [(String?, String, String)])
  func hosts(option: String?, host: String, sent: String) async throws {
    let backend = try ScriptedBackend { request, link in
      let host = request.components(separatedBy: "\r\n").first { $0.hasPrefix("Host: ") }?.dropFirst(6) ?? ""
      link.send(Array(ScriptedBackend.response("302 Found", "", "Location: http://\(host)/there").utf8))
    }
    try await Stage.inFrontOf(backend) { options in
      options.upstreamHost = option
      options.allowedHosts = ["*.test"]
    } body: { stage in
      #expect(try exchange(stage.server, wire("POST", "/_mock/sandboxes", body: #"{"name":"ci"}"#)).status == 201)
      let answer = try exchange(stage.server, wire("GET", "/here", "Origin: http://\(host)", host: host))
      #expect(answer["Location"] == "http://\(host)/there")
      let request = try #require(backend.requests.withLock { $0.last })
      #expect(request.contains("\r\nHost: \(sent)\r\n") && request.contains("\r\nOrigin: http://\(sent)\r\n"))
    }
  }

  @Test("a name that may be another site's is refused on loopback, and the refusal says how to allow it")
  func foreignHost() async throws {
    let backend = try ScriptedBackend(answering: ScriptedBackend.response("200 OK", "{}"))
    try await Stage.inFrontOf(backend) { stage in
      let refused = try exchange(stage.server, wire("GET", "/", host: "rebound.example"))
      #expect(refused.status == 403 && refused.text.contains("--allow-host rebound.example"))
      #expect(backend.requests.withLock { $0.isEmpty })
    }
  }

  @Test("a request that no further server may get is answered here", arguments: ["OPTIONS", "TRACE"])
  func forwards(method: String) async throws {
    let backend = try ScriptedBackend(answering: ScriptedBackend.response("200 OK", "{}"))
    try await Stage.inFrontOf(backend) { stage in
      let last = try exchange(stage.server, wire(method, "/", "Max-Forwards: 0"))
      let forwarded = try exchange(stage.server, wire(method, "/", "Max-Forwards: 2"))
      #expect(last.text != "{}" && forwarded.text == "{}")
      #expect(backend.requests.withLock { $0.count == 1 && $0[0].contains("\r\nMax-Forwards: 1\r\n") })
    }
  }

  @Test("a Max-Forwards that is no number is passed on as it came", arguments: ["-1", "many"])
  func strangeCount(value: String) async throws {
    let backend = try ScriptedBackend(answering: ScriptedBackend.response("200 OK", "{}"))
    try await Stage.inFrontOf(backend) { stage in
      let response = try exchange(stage.server, wire("OPTIONS", "/", "Max-Forwards: \(value)"))
      #expect(response.text == "{}")
      let requests = backend.requests.withLock { $0 }
      #expect(requests.count == 1 && requests[0].contains("\r\nMax-Forwards: \(value)\r\n"))
    }
  }

  @Test(
    "the status of an answer says what became of a write that no file declares",
    arguments: [("303", true), ("302", nil), ("307", false), ("500", nil), ("400", false)] as [(String, Bool?)])
  func redirects(status: String, isApplied: Bool?) async throws {
    let backend = try ScriptedBackend(answering: ScriptedBackend.response("\(status) X", "", "Location: /orders"))
    try await Stage.inFrontOf(backend) { stage in
      _ = try exchange(stage.server, wire("POST", "/orders", body: "{}"))
      #expect(try await stage.lastEnded()["applied"] == (isApplied.map { .bool($0) } ?? .null))
    }
  }
}

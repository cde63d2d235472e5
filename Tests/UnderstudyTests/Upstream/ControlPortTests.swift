import JSON
import LiveTesting
import Testing

@testable import Understudy

@Suite("The control API in front of a backend", .live)
struct ControlPortTests {
  private static let page = ScriptedBackend.response("200 OK", "{}")

  @Test(
    "refuses the pages of the traffic's origin, and names its own port",
    arguments: [
      ["Sec-Fetch-Site: same-origin"], ["Sec-Fetch-Site: none", "Sec-Fetch-Mode: cors"], ["Origin: http://localhost"],
      ["Referer: http://localhost/"],
      ["Sec-Fetch-Site: same-site", "Sec-Fetch-Mode: no-cors", "Sec-Fetch-Dest: script"],
    ])
  func pages(fields: [String]) async throws {
    try await Stage.inFrontOf(ScriptedBackend(answering: Self.page)) { stage in
      let port = try #require(stage.server.controlPort)
      for (method, path) in [
        ("GET", "/_mock/journal"), ("PUT", "/_mock/scenario"), ("GET", "/_mock/"), ("GET", "/_mock/sw.js"),
      ] {
        var request = "\(method) \(path) HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n"
        for field in fields { request += field + "\r\n" }
        let response = try exchange(stage.server, request + "\r\n")
        #expect(response.status == 403 && response.text.contains("http://localhost:\(port)\(path)"), "\(response.text)")
        #expect(response["Access-Control-Allow-Origin"] == nil)
      }
      #expect(try exchange(stage.server, wire("GET", "/_mock/journal")).status == 200)
    }
  }

  @Test("sends a person who opens it to its own port, with host name, label and path")
  func navigation() async throws {
    try await Stage.inFrontOf(ScriptedBackend(answering: Self.page)) { stage in
      _ = try stage.json("/_mock/sandboxes", "POST", #"{"name": "ci"}"#)
      let port = try #require(stage.server.controlPort)
      let opened = wire(
        "GET", "/_mock/report?format=html", "Sec-Fetch-Site: none", "Sec-Fetch-Mode: navigate",
        "Sec-Fetch-Dest: document",
        host: "ci.localhost:1")
      #expect(try exchange(stage.server, opened)["Location"] == "http://ci.localhost:\(port)/_mock/report?format=html")
      let old = try exchange(stage.server, wire("GET", "/@ci/_mock/", "Accept: text/html", host: "127.0.0.1"))
      #expect(old.status == 302 && old["Location"] == "http://127.0.0.1:\(port)/@ci/_mock/")
      let own = "Sec-Fetch-Site: same-origin"
      let shown = try exchange(stage.server, wire("GET", "/_mock/", own, "Accept: text/html"), port: port)
      #expect(shown.status == 200)
      #expect(try exchange(stage.server, wire("GET", "/@ci/_mock/journal", own), port: port).status == 200)
      #expect(try exchange(stage.server, wire("GET", "/", own), port: port)["Location"] == "/_mock/")
    }
  }

  @Test("has no page of the backend at its port, and is refused to pages of other origins there")
  func ownPort() async throws {
    let backend = try ScriptedBackend(answering: Self.page)
    try await Stage.inFrontOf(backend) { stage in
      let port = try #require(stage.server.controlPort)
      #expect(try exchange(stage.server, wire("GET", "/orders"), port: port).status == 404)
      #expect(backend.requests.withLock { $0.isEmpty })
      let foreign = [
        "Origin: http://localhost:\(stage.server.port)", "Sec-Fetch-Site: same-site", "Sec-Fetch-Site: cross-site",
      ]
      for field in foreign {
        #expect(try exchange(stage.server, wire("GET", "/_mock/journal", field), port: port).status == 403)
      }
      #expect(try exchange(stage.server, wire("GET", "/_mock/journal", host: "a.example"), port: port).status == 403)
    }
  }

  @Test("is at its own port alone if that is given, except its health")
  func given() async throws {
    let backend = try ScriptedBackend(answering: Self.page)
    try await Stage.inFrontOf(backend) { options in
      options.controlPort = 0
    } body: { stage in
      let port = try #require(stage.server.controlPort)
      #expect(try exchange(stage.server, wire("GET", "/_mock/journal")).status == 403)
      #expect(try exchange(stage.server, wire("GET", "/_mock/health")).status == 200)
      #expect(try exchange(stage.server, wire("GET", "/_mock/journal"), port: port).status == 200)
    }
  }

  @Test("can be used at its port by pages of the origin that the operator names")
  func allowed() async throws {
    let backend = try ScriptedBackend(answering: Self.page)
    try await Stage.inFrontOf(backend) { options in
      options.controlOrigin = "http://localhost:5173"
    } body: { stage in
      let port = try #require(stage.server.controlPort)
      let origin = "Origin: http://localhost:5173"
      let cross = "Sec-Fetch-Site: same-site"
      let response = try exchange(stage.server, wire("GET", "/_mock/journal", origin, cross), port: port)
      #expect(response.status == 200 && response["Access-Control-Allow-Origin"] == "http://localhost:5173")
      #expect(response["Access-Control-Allow-Credentials"] == nil)
      let preflight = wire(
        "OPTIONS", "/_mock/scenario", origin, "Access-Control-Request-Method: PUT",
        "Access-Control-Request-Headers: content-type")
      let answer = try exchange(stage.server, preflight, port: port)
      #expect(answer.status == 204 && answer["Access-Control-Allow-Headers"] == "content-type")
      #expect(
        try exchange(stage.server, wire("GET", "/_mock/journal", "Origin: http://localhost:5174"), port: port).status
          == 403)
      #expect(try exchange(stage.server, wire("GET", "/_mock/journal", origin)).status == 403)
    }
  }

  @Test("has no port of its own without a backend, and its origin must be a whole one")
  func five() async throws {
    for (port, origin) in [(1, nil), (nil, "http://a")] as [(Int?, String?)] {
      var options = MockServer.Options()
      (options.controlPort, options.controlOrigin) = (port, origin)
      await #expect(throws: StartError.self) { _ = try await MockServer.start(options) }
    }
    var options = MockServer.Options()
    (options.upstream, options.controlOrigin) = ("http://127.0.0.1:1", "localhost:5173")
    await #expect(throws: StartError.self) { _ = try await MockServer.start(options) }
  }

  @Test("relabels only JSON as a page, which then runs nothing")
  func relabelled() async throws {
    for (type, isStruck) in [("application/json", true), ("text/plain", false)] {
      let text =
        "HTTP/1.1 200 OK\r\nContent-Type: \(type)\r\nContent-Security-Policy: script-src *\r\nContent-Length: 4\r\n\r\n[12]"
      let backend = try ScriptedBackend(answering: text)
      try await Stage.inFrontOf(backend.url, #"{"effect": {"fault": "wrong-type"}}"#) { stage in
        let response = try exchange(stage.server, wire("GET", "/a"))
        let policies = response.fields.filter { $0.name == "content-security-policy" }.map(\.value)
        #expect(policies == ["script-src *"] + (isStruck ? ["sandbox"] : []))
        #expect(response["Content-Type"]?.hasPrefix(isStruck ? "text/html" : type) == true)
        _ = try await stage.lastEnded()
      }
    }
  }
}

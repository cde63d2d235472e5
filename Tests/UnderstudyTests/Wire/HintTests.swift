import JSON
import LiveTesting
import Testing

@testable import Understudy

@Suite("A common mistake gets an answer that names it")
struct HintTests {
  private static func detail(_ server: MockServer, _ request: String, _ status: Int) throws -> String {
    let response = try exchange(server, request)
    #expect(response.status == status, "\(response.text)")
    return try JSONValue(parsing: response.body)["detail"]?.string ?? ""
  }

  @Test(
    "a method in small letters", arguments: [("patch", "PATCH"), ("get", "GET"), ("Post", "POST"), ("mkcol", "MKCOL")])
  func smallLetters(method: String, name: String) async throws {
    try await withServer { server in
      let text = try Self.detail(server, wire(method, "/devices"), 501)
      #expect(text.hasSuffix("Methods are case-sensitive: write \(name)."), "\(text)")
      #expect(try !Self.detail(server, wire("BREW", "/devices"), 501).contains("case"))
      #expect(try !Self.detail(server, wire("brew", "/devices"), 501).contains("case"))
    }
  }

  @Test(
    "a path that is nearly one of the control API",
    arguments: [
      ("/_mocks/journal", "/_mock/journal"), ("/mock/report", "/_mock/report"), ("/_moc/clock", "/_mock/clock"),
    ])
  func controlPath(path: String, meant: String) async throws {
    try await withServer { server in
      let near = try Self.detail(server, wire("GET", path), 404)
      #expect(near.hasSuffix("did you mean \(meant)?"), "\(near)")
      let far = try Self.detail(server, wire("GET", "/clock/now"), 404)
      #expect(!far.contains("_mock"), "\(far)")
    }
  }

  @Test("TLS on the port for plain HTTP", arguments: [[22, 3, 1, 2, 0, 1], [22]] as [[UInt8]])
  func encrypted(hello: [UInt8]) async throws {
    try await withServer { server in
      let client = try WireConnection(server.port)
      try client.send(hello)
      let text = client.rest().text
      #expect(text.hasPrefix("HTTP/1.1 400 ") && text.contains("The client speaks TLS (https)"), "\(text)")
      #expect(text.contains("docker/tls.py"))
    }
  }

  @Test(
    "MetaWeather's other places and days",
    arguments: [("/api/location/44418/", "Hong Kong"), ("/api/location/2165352/2013/4/27", "next six")])
  func weather(path: String, words: String) async throws {
    try await withServer { server in
      let text = try Self.detail(server, wire("GET", path), 404)
      #expect(text.contains(words) && text.contains("/api/location/2165352/"), "\(text)")
      #expect(try !Self.detail(server, wire("GET", "/api/location/1/2"), 404).contains("Hong Kong"))
    }
  }

  @Test(
    "a redirect without a target leads to the same URL, at which the next request has its own plan",
    arguments: [301, 302, 303, 307, 308])
  func location(status: Int) async throws {
    let rule = #"{"when":{"first":1},"effect":{"status":\#(status)}}"#
    try await withStage(rule) { stage in
      let response = try exchange(stage.server, wire("GET", "/@users/users?id=1", host: "localhost:81"))
      #expect(response.status == status)
      #expect(response["Location"] == "http://localhost:81/@users/users?id=1")
      #expect(try exchange(stage.server, wire("GET", "/@users/users?id=1")).status == 200)
      let preferred = try exchange(stage.server, wire("GET", "/devices", "Prefer: code=\(status)"))
      #expect(preferred["Location"] == "http://localhost/devices")
      #expect(try exchange(stage.server, wire("GET", "/devices", "Prefer: code=304"))["Location"] == nil)
    }
  }

  @Test(
    "a write to / of a real service's host is not taken for one to the control API",
    arguments: ["POST", "PUT", "DELETE"])
  func upstreamHost(method: String) async throws {
    try await withServer { server in
      for host in ["jsonplaceholder.typicode.com", "comgy.io", "booking.localhost"] {
        try #expect(exchange(server, wire(method, "/", host: host)).status == 404)
      }
      try #expect(exchange(server, wire(method, "/")).status == 405)
      try #expect(exchange(server, wire(method, "/", host: "attacker.example")).status == 403)
    }
  }

  @Test("the page at / lists the operations of each API for people")
  func operations() async throws {
    try await withServer { server in
      let page = try exchange(server, wire("GET", "/", "Accept: text/html")).text
      #expect(page.contains("<code>PATCH /devices/{id}</code> "))
      #expect(page.contains("<code>GET /{room}/{fixture}/on</code> "))
      #expect(!page.contains("<code>GET /state</code>"), "only the API's own origin serves it")
      let own = try exchange(server, wire("GET", "/", "Accept: text/html", host: "house.localhost")).text
      #expect(own.contains("<code>GET /state</code> "))
    }
  }

  @Test("`_delay` of users delays the response by milliseconds, as planned")
  func delay() async throws {
    try await withStage(#"{"match":{"path":"/users/2"},"effect":{"latency":"1ms"}}"#) { stage in
      for (target, delay) in [
        ("/users/1?_delay=7", "7ms"), ("/users/2?_delay=7", "8ms"), ("/users?_delay=3&_limit=1", "3ms"),
      ] {
        try #expect(exchange(stage.server, wire("GET", target)).status == 200)
        try #expect(stage.lastEntry()["plan", "delay"]?.string == delay, "\(target)")
      }
      for target in ["/users/1?_delay=soon", "/users/1?_delay=-1", "/users/1?_delay=0", "/devices?_delay=9"] {
        try #expect(exchange(stage.server, wire("GET", target)).status == 200)
        try #expect(stage.lastEntry()["plan", "delay"] == nil, "\(target)")
      }
    }
  }
}

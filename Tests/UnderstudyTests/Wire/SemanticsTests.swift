import JSON
import LiveTesting
import Primitives
import Services
import Testing

@testable import Understudy

@Suite("Conditions and idempotency keys over HTTP")
struct SemanticsTests {
  private static let installed = "{\"installationDate\":\"2023-07-05T15:13:34Z\"}"

  @Test("a current tag in If-None-Match gets 304 without a body and its length")
  func notModified() async throws {
    try await withServer { server in
      let client = try WireConnection(server.port)
      for target in ["/devices", "/users/1", "/rooms.json", "/state"] {
        let host = target == "/state" ? "house.localhost" : "localhost"
        try client.send(wire("GET", target, host: host))
        let first = try client.response()
        let tag = try #require(first["ETag"])
        let opaque = tag.hasPrefix("W/") ? String(tag.dropFirst(2)) : tag
        for condition in [tag, opaque, "W/\(opaque)", "*", "\"x\", \(tag)", "\"a,b\" , , W/\(opaque)"] {
          let date = "If-Modified-Since: Thu, 01 Jan 1970 00:00:00 GMT"
          try client.send(wire("GET", target, "If-None-Match: \(condition)", date, host: host))
          let second = try client.response()
          #expect(second.status == 304, "\(target) with \(condition)")
          #expect(second["ETag"] == tag)
          #expect(second["Cache-Control"] == first["Cache-Control"])
          #expect(second["Content-Length"] == nil && second["Content-Type"] == nil)
          try client.send(wire("HEAD", target, "If-None-Match: \(condition)", host: host))
          #expect(try client.response(toHead: true).status == 304)
        }
        try client.send(wire("GET", target, "If-None-Match: \"x\"", "If-None-Match: \(tag)", host: host))
        #expect(try client.response().status == 304, "two lines are one list")
      }
    }
  }

  @Test("another tag, or none, gets the whole representation")
  func modified() async throws {
    try await withServer { server in
      let client = try WireConnection(server.port)
      let conditions = [
        "If-None-Match: \"0\"", "If-None-Match: nonsense", "If-None-Match:",
        "If-Modified-Since: Thu, 01 Jan 2099 00:00:00 GMT",
      ]
      for condition in conditions {
        try client.send(wire("GET", "/devices", condition))
        #expect(try client.response().status == 200, "\(condition)")
      }
      try client.send(wire("GET", "/devices/unknown", "If-None-Match: *"))
      #expect(try client.response().status == 404, "a condition needs an existing resource")
    }
  }

  @Test("with If-Match, one of two writers succeeds, and none with a weak tag")
  func ifMatch() async throws {
    try await withServer { server in
      let client = try WireConnection(server.port)
      let target = "/devices/WWM-0001-12"
      try client.send(wire("GET", target))
      let tag = try #require(try client.response()["ETag"])
      try client.send(wire("PATCH", target, "If-Match: W/\(tag)", body: Self.installed))
      #expect(try client.response().status == 412, "If-Match does not compare weak tags")
      try client.send(wire("GET", target, "If-Match: \"0\""))
      #expect(try client.response().status == 412)
      try client.send(wire("PATCH", target, "If-Match: \"0\", \(tag)", body: Self.installed))
      #expect(try client.response().status == 200)
      try client.send(wire("PATCH", target, "If-Match: \(tag)", body: "{\"installationDate\":null}"))
      let second = try client.response()
      #expect(second.status == 412)
      #expect(second.text.contains("precondition-failed"))
      try client.send(wire("GET", target))
      #expect(try client.response().text.contains("2023-07-05"), "the refused request changed nothing")
      try client.send(wire("PATCH", target, "If-Match: *", body: "{}"))
      #expect(try client.response().status == 200)
      try client.send(wire("GET", "/users/1"))
      let weak = try #require(try client.response()["ETag"])
      #expect(weak.hasPrefix("W/"))
      try client.send(wire("PATCH", "/users/1", "If-Match: \(weak)", "Content-Type: application/json", body: "{}"))
      #expect(try client.response().status == 412)
    }
  }

  @Test(
    "a retry under its Idempotency-Key may be encoded anew: members in another order, a query with its pairs swapped")
  func encodedAgain() async throws {
    try await withServer { server in
      let client = try WireConnection(server.port)
      func statuses(_ requests: String...) throws -> [Int] {
        try requests.map { request in
          try client.send(request)
          return try client.response().status
        }
      }
      func patch(_ body: String) -> String { wire("PATCH", "/devices/WWM-0001-12", "Idempotency-Key: p", body: body) }
      #expect(
        try statuses(
          patch(#"{"meterPointDescription":"Attic","type":"heating"}"#),
          patch(#"{ "type": "heating", "meterPointDescription": "\u0041ttic" }"#),
          patch(#"{"type":"heating","meterPointDescription":"Cellar"}"#)) == [200, 200, 422])
      func book(_ query: String) -> String { wire("GET", "/book?" + query, "Idempotency-Key: g") }
      #expect(
        try statuses(book("name=Ljerka&from=app"), book("from=%61pp&name=Ljerka"), book("name=Mina&from=app"))
          == [200, 200, 422])
      let spots = await server.ask { loop in
        loop.application.state.sandboxes[nil]?.state.store.record("Ljerka", of: "booking")?["spots"]?.int
      }
      #expect(spots == 42, "it was booked once")
    }
  }

  @Test("a repeated Idempotency-Key gets the first response, and is applied once")
  func replay() async throws {
    try await withServer { server in
      let client = try WireConnection(server.port)
      try client.send(wire("GET", "/rooms.json"))
      let before = try client.response().text
      for _ in 0..<3 {
        try client.send(wire("POST", "/book", "Idempotency-Key: \"k1\"", body: "{\"name\":\"Ljerka\"}"))
        #expect(try client.response().text == "{\"success\":true}")
      }
      try client.send(wire("GET", "/rooms.json"))
      let after = try client.response().text
      #expect(after != before)
      try client.send(wire("POST", "/book", "Idempotency-Key: \"k1\"", body: "{\"name\":\"Mostafa\"}"))
      #expect(try client.response().status == 422)
      try client.send(wire("POST", "/bookRoom.json", "Idempotency-Key: \"k1\"", body: "{\"name\":null}"))
      #expect(try client.response().status == 200, "another path has its own keys")
      for key in ["", String(repeating: "k", count: 256)] {
        try client.send(wire("POST", "/book", "Idempotency-Key: \(key)", body: "{\"name\":\"Ljerka\"}"))
        #expect(try client.response().status == 400)
      }
      try client.send(wire("GET", "/devices", "Idempotency-Key:"))
      #expect(try client.response().status == 200, "a safe request needs no key")
      try client.send(wire("GET", "/rooms.json"))
      #expect(try client.response().text == after)
    }
  }

  @Test("a failed booking has the failure as its first member")
  func failedBooking() async throws {
    try await withServer { server in
      let response = try exchange(server, wire("POST", "/book", body: "{\"name\":\"no such room\"}"))
      #expect(response.status == 404)
      #expect(response.text.hasPrefix("{\"success\":false,\"type\":\"urn:understudy:problem:unknown-room\""))
    }
  }
}

@Suite("Requests of web pages")
struct WebPageTests {
  private static let origin = "http://localhost:3000"
  private static let page = "Origin: " + origin

  @Test("a browser's preflight is accepted with the requested method and fields")
  func preflight() async throws {
    try await withServer { server in
      let response = try exchange(
        server,
        wire(
          "OPTIONS", "/devices/WWM-0001-12", Self.page, "Access-Control-Request-Method: PATCH",
          "Access-Control-Request-Headers: content-type,idempotency-key",
          "Access-Control-Request-Private-Network: true"))
      #expect(response.status == 204)
      #expect(response["Access-Control-Allow-Origin"] == Self.origin)
      #expect(response["Access-Control-Allow-Credentials"] == "true")
      #expect(response["Access-Control-Allow-Methods"] == "GET, HEAD, PATCH, OPTIONS")
      #expect(response["Access-Control-Allow-Headers"] == "content-type,idempotency-key")
      #expect(response["Access-Control-Allow-Private-Network"] == "true")
      #expect(response["Access-Control-Max-Age"] == "600")
      let plain = try exchange(server, wire("OPTIONS", "/devices/WWM-0001-12"))
      #expect(plain.status == 204)
      #expect(plain["Access-Control-Allow-Methods"] == nil, "without an Origin it is not a preflight")
      #expect(plain["Allow"] == "GET, HEAD, PATCH, OPTIONS")
    }
  }

  @Test("the response and every error can be read by a page")
  func actual() async throws {
    try await withServer { server in
      let requests = [
        (wire("GET", "/devices", Self.page), 200), (wire("GET", "/nowhere", Self.page), 404),
        (wire("DELETE", "/devices", Self.page), 405), (wire("PATCH", "/devices/x", Self.page, body: "{"), 400),
        (wire("GET", "/@unknown/devices", Self.page), 404), (wire("GET", "/ bad", Self.page), 400),
        (wire("GET", "/@a/@b/devices", Self.page), 400),
      ]
      for (request, status) in requests {
        let response = try exchange(server, request)
        #expect(response.status == status, "\(request)")
        let origin = request.contains("/ bad") ? "*" : Self.origin
        #expect(response["Access-Control-Allow-Origin"] == origin)
        let exposed = response["Access-Control-Expose-Headers"] ?? ""
        for field in ["ETag", "Link", "Location", "X-Total-Count", "Retry-After", "RateLimit", "Understudy-Request"] {
          #expect(exposed.contains(field))
        }
      }
    }
  }

  @Test("a page's origin is allowed with credentials, and a request without an origin allows every page")
  func credentials() async throws {
    try await withServer { server in
      for target in ["/devices", "/image/Mina", "/nowhere"] {
        for origin in [Self.origin, "null", "https://a.example"] {
          let response = try exchange(server, wire("GET", target, "Origin: \(origin)"))
          #expect(response["Access-Control-Allow-Origin"] == origin)
          #expect(response["Access-Control-Allow-Credentials"] == "true")
          #expect(response["Vary"] == "Understudy-Sandbox, Prefer, Origin")
        }
        for plain in [wire("GET", target), wire("GET", target, "Origin:")] {
          let response = try exchange(server, plain)
          #expect(response["Access-Control-Allow-Origin"] == "*")
          #expect(response["Access-Control-Allow-Credentials"] == nil)
          #expect(response["Vary"] == "Understudy-Sandbox, Prefer, Origin")
        }
      }
    }
  }

  @Test("the control API cannot be read by pages")
  func control() async throws {
    try await withServer { server in
      for target in ["/_mock/health", "/_mock/nothing", "/openapi.yaml"] {
        let get = try exchange(server, wire("GET", target, Self.page))
        let options = try exchange(
          server, wire("OPTIONS", target, Self.page, "Access-Control-Request-Method: POST"))
        for response in [get, options] {
          #expect(!response.fields.contains { $0.name.hasPrefix("access-control-") }, "\(target)")
        }
      }
    }
  }
}

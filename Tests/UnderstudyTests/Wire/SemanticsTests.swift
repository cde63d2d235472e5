import JSON
import LiveTesting
import Primitives
import Services
import Testing

@testable import Understudy

@Suite("Conditions and idempotency keys over HTTP")
struct SemanticsTests {
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

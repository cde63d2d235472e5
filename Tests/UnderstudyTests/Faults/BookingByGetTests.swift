import Faults
import JSON
import LiveTesting
import Primitives
import Testing

@testable import Report
@testable import Understudy

@Suite("Bookings by GET")
struct BookingByGetTests {
  private static let booking = wire("GET", "/book?name=Ljerka")

  private static func field(_ name: String, _ value: String, _ target: String = "/book?name=Ljerka") -> String {
    wire("GET", target, "\(name): \(value)")
  }

  @Test("a GET that names a room books it, at each of its paths, and the journal records that it was applied")
  func books() async throws {
    try await withStage { stage async throws -> Void in
      for (target, left) in [
        ("/book?name=Ljerka", 42), ("/bookRoom.json?name=Ljerka", 41), ("/@booking/book/?name=Ljerka", 40),
      ] {
        let response = try exchange(stage.server, wire("GET", target))
        #expect(response.status == 200 && response.text == Stage.written)
        #expect(response["Cache-Control"] == "no-store")
        #expect(try stage.spots() == left)
        #expect(try stage.lastEntry()["applied"] == true)
      }
      #expect(try exchange(stage.server, wire("GET", "/book?name=Alexis")).status == 409)
      #expect(try exchange(stage.server, wire("GET", "/book?name=")).status == 400)
      #expect(try exchange(stage.server, wire("GET", "/book?name=Attic")).text.hasPrefix("{\"success\":false,"))
      #expect(try exchange(stage.server, wire("GET", "/book")).text == Stage.written)
      #expect(try stage.lastEntry()["applied"] == false)
      #expect(try stage.spots() == 40)
    }
  }

  @Test("a fault after the change loses the response to a booking, and spares a GET without a name")
  func lostAfter() async throws {
    let rule = #"{"match":{"changes":true},"phase":"after","effect":{"fault":"reset-bare"}}"#
    try await withStage(rule) { stage async throws -> Void in
      #expect(try exchange(stage.server, wire("GET", "/book")).status == 200)
      let client = try WireConnection(stage.server.port)
      try client.send(Self.booking)
      _ = client.end()
      #expect(try stage.spots() == 42)
      #expect(try stage.lastEntry()["plan"]?["words"] == "reset-bare after commit")
    }
  }

  @Test("a fault before the change prevents the booking")
  func lostBefore() async throws {
    try await withStage(#"{"match":{"changes":true},"effect":{"status":503}}"#) { stage async throws -> Void in
      #expect(try exchange(stage.server, Self.booking).status == 503)
      #expect(try exchange(stage.server, wire("HEAD", "/book?name=Ljerka")).status == 200)
      #expect(try stage.spots() == 43)
    }
  }

  @Test("an idempotency key books once, gives 422 for another room, and is not shared with POST")
  func key() async throws {
    try await withStage { stage async throws -> Void in
      for _ in 0..<3 { #expect(try exchange(stage.server, Self.field("Idempotency-Key", "k")).text == Stage.written) }
      #expect(try stage.spots() == 42)
      #expect(try exchange(stage.server, Self.field("Idempotency-Key", "k", "/book?name=Mina")).status == 422)
      #expect(try exchange(stage.server, Self.field("Idempotency-Key", "", "/book?name=Mina")).status == 400)
      #expect(try exchange(stage.server, Self.field("Idempotency-Key", "", "/book")).status == 200, "no write, no key")
      let post = wire("POST", "/book", "Idempotency-Key: k", body: "{\"name\":\"Ljerka\"}")
      #expect(try exchange(stage.server, post).status == 200)
      #expect(try stage.spots() == 41)
    }
  }

  @Test("the report finds a booking that was repeated after its response was lost")
  func report() async throws {
    let rule = #"{"match":{"path":"/book"},"when":{"first":1},"phase":"after","effect":{"fault":"reset"}}"#
    try await withStage(rule) { stage async throws -> Void in
      for _ in 0..<2 {
        let client = try WireConnection(stage.server.port)
        try client.send(wire("GET", "/book?name=Ljerka", "Understudy-Client: a", "Connection: close"))
        _ = client.end()
      }
      #expect(try stage.spots() == 41)
      let checks = try #require(try stage.json("/_mock/report")["checks"]?.array)
      let doubled = try #require(checks.first { $0["id"] == "no-duplicate-effect" })
      #expect(doubled["verdict"] == "fail")
    }
  }

  @Test("the plan's preview depends on the query")
  func plan() async throws {
    let options = {
      var options = MockServer.Options(); (options.scenario, options.seed) = ("lost-ack", 9); return options
    }()
    func words(_ method: String, _ path: String) throws -> [Bool] {
      try MockServer.preview(options, method: method, path: path, count: 3).map { $0.contains("reset after commit") }
    }
    #expect(try words("GET", "/book?name=Ljerka") == [false, false, true])
    #expect(try words("GET", "/bookRoom.json?a=b&name=Ljerka") == [false, false, true])
    #expect(try words("GET", "/book") == [false, false, false])
    #expect(try words("GET", "/book?Name=Ljerka") == [false, false, false])
    #expect(try words("HEAD", "/book?name=Ljerka") == [false, false, false])
    try await withStage(#"{"match":{"changes":true},"when":{"nth":2},"effect":{"status":503}}"#) {
      stage async throws -> Void in
      let target = "/_mock/plan?method=GET&count=2&path=/book%3Fname%3DLjerka"
      let plan = try stage.json(target)["plan"]?.array ?? []
      #expect(plan.map { $0["status"] } == [nil, 503])
      for status in [200, 503] { #expect(try exchange(stage.server, Self.booking).status == status) }
      let unnamed = try stage.json("/_mock/plan?method=GET&count=2&path=/book")["plan"]?.array ?? []
      #expect(unnamed.allSatisfy { $0["status"] == nil })
    }
  }
}

@Suite("Writes of users, which are not stored")
struct UserWriteFaultTests {
  @Test(
    "lose their response with lost-ack",
    arguments: [("POST /users", 4), ("PUT /users/1", 1), ("PATCH /users/1", 6), ("DELETE /users/1", 1)])
  func lost(request: String, seed: UInt64) async throws {
    let words = request.split(separator: " ").map(String.init)
    let (method, path) = (words[0], words[1])
    var options = MockServer.Options()
    (options.scenario, options.seed) = ("lost-ack", seed)
    let preview = try MockServer.preview(options, method: method, path: path, count: 3)
    #expect(preview.map { $0.contains("reset after commit (rule \"lost reply\")") } == [false, false, true])
    try await withServer({ ($0.scenario, $0.seed) = ("lost-ack", seed) }) { server in
      for n in 1...3 {
        let client = try WireConnection(server.port)
        try client.send(wire(method, path, "Connection: close", body: method == "DELETE" ? nil : "{}"))
        if n < 3 { #expect(try client.response().status < 300) } else { #expect(client.end() != .finished("")) }
      }
      #expect(try exchange(server, wire("GET", "/users/1")).status == 200)
      let card = try JSONValue(parsing: exchange(server, wire("GET", "/_mock/report")).body)
      let verdicts = (card["checks"]?.array ?? []).compactMap { $0["verdict"]?.string }
      #expect(!verdicts.contains("fail"))
    }
  }

  @Test("can be matched by a rule of phase `after`, which reads cannot")
  func phase() async throws {
    try await withStage { stage async throws -> Void in
      try stage.arm(#"{"match":{"api":"users"},"phase":"after","effect":{"fault":"reset"}}"#)
      try stage.arm(#"{"match":{"method":["GET"],"path":"/book"},"phase":"after","effect":{"fault":"reset"}}"#)
      let rule = #"{"match":{"api":"users","method":["GET"]},"phase":"after","effect":{"fault":"reset"}}"#
      let response = try exchange(
        stage.server, wire("PUT", "/_mock/scenario", body: "{\"name\":\"x\",\"rules\":[\(rule)]}"))
      #expect(response.status == 400)
    }
  }
}

@Suite("The weather service's rate limit")
struct WeatherLimitTests {
  @Test("refuses a second report within a minute, in that sandbox only")
  func limit() async throws {
    try await withServer({ $0.scenario = "weather-limit" }) { server in
      let stage = Stage(server: server)
      let report = wire("GET", "/api/location/2165352/")
      let search = wire("GET", "/api/location/search/?query=hong")
      for request in [search, report] { #expect(try exchange(server, request).status == 200) }
      for request in [search, report] {
        let refused = try exchange(server, request)
        #expect(refused.status == 429)
        let wait = try #require(refused["Retry-After"].flatMap { Int($0) })
        #expect((1...60).contains(wait))
      }
      #expect(try exchange(server, wire("GET", "/weather/cold")).status == 200)
      _ = try stage.json("/_mock/sandboxes", "POST", #"{"name":"other","scenario":"weather-limit"}"#)
      #expect(try exchange(server, wire("GET", "/@other/api/location/2165352")).status == 200)
      try stage.advanceClock("61s")
      #expect(try exchange(server, report).status == 200)
    }
  }
}

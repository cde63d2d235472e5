import JSON
import LiveTesting
import Primitives
import Report
import Testing

@testable import Understudy

@Suite("Planned delays and the sandbox's clock")
struct TimeTests {
  static let latencies = [
    #""20ms""#, #"{"uniform":["20ms","30ms"]}"#, #"{"normal":{"mean":"20ms","deviation":"1ms"}}"#,
    #"{"lognormal":{"median":"20ms","p99":"30ms"}}"#, #"{"percentiles":{"50":"20ms","99":"30ms"}}"#,
  ]

  @Test("each distribution delays as planned, before or after the write", arguments: latencies, ["before", "after"])
  func delays(latency: String, phase: String) async throws {
    let rule = #"{"match":{"method":["POST"]},"phase":"\#(phase)","effect":{"latency":\#(latency)}}"#
    try await withStage(rule) { stage in
      let took = try await time {
        let response = try exchange(stage.server, Stage.write)
        #expect(response.text == Stage.written)
      }
      let entry = try stage.lastEntry()
      let planned = try #require(entry["timing", "planned"]?.string.flatMap(DurationText.init)?.duration)
      let actual = try #require(entry["timing", "actual"]?.string.flatMap(DurationText.init)?.duration)
      #expect(planned > .milliseconds(5) && planned < .milliseconds(200))
      #expect(actual >= planned && took >= planned)
      #expect(entry["plan", "delay"] == entry["timing", "planned"])
      #expect(entry["applied"] == true)
      #expect(entry["plan", "words"]?.string?.hasSuffix("after commit") == (phase == "after"))
      #expect(try stage.isChanged())
    }
  }

  @Test(
    "a delayed response is sent in the turn in which its delay ends, and not a nanosecond before",
    arguments: [
      #"{"latency":"1h"}"#, #"{"fault":"hang","for":"1h"}"#, #"{"fault":"stall","at":"0/1","for":"1h"}"#,
    ], PollerKind.allCases)
  func isPunctual(effect: String, poller: PollerKind) async throws {
    let clock = ManualClock()
    try await withServer(using: poller, { $0.clocks = clock.clocks }) { server in
      let stage = Stage(server: server)
      try stage.arm(#"{"match":{"path":"/users/1"},"effect":\#(effect)}"#)
      let client = try WireConnection(server.port)
      try client.send(wire("GET", "/users/1"))
      try #require(await stage.server.journalBecomes { $0.count == 1 })
      await clock.advance(by: .seconds(3_600) - .nanoseconds(1), server)
      #expect(!String(decoding: client.available(), as: UTF8.self).contains("Leanne Graham"))
      await clock.advance(by: .nanoseconds(1), server)
      #expect(try client.response().text.contains("Leanne Graham"))
    }
  }

  @Test(
    "a delay before the commit delays the write, and one after it only the response", arguments: ["before", "after"])
  func holdsUp(phase: String) async throws {
    try await withStage(#"{"match":{"method":["POST"]},"phase":"\#(phase)","effect":{"latency":"1h"}}"#) { stage in
      let client = try WireConnection(stage.server.port)
      try client.send(Stage.write)
      #expect(await stage.server.journalBecomes { $0.count == 1 })
      #expect(try stage.isChanged() == (phase == "after"))
      client.reset()
      #expect(await stage.server.journalBecomes { $0.first?.outcome == .peerGone })
      #expect(try stage.requests()[0]["applied"] == .bool(phase == "after"))
      #expect(try stage.isChanged() == (phase == "after"))
    }
  }

  @Test("delays of several rules add up, and a status comes after them")
  func addsUp() async throws {
    try await withStage(
      #"{"effect":{"latency":"20ms"}}"#, #"{"name":"more","effect":{"latency":"30ms"}}"#, #"{"effect":{"status":500}}"#
    ) { stage in
      let took = try await time {
        let response = try exchange(stage.server, wire())
        #expect(response.status == 500)
      }
      #expect(took >= .milliseconds(50))
      #expect(try stage.lastEntry()["timing", "planned"] == "50ms")
    }
  }

  @Test("a cold start delays the first request and all that arrive meanwhile, and again after idleness")
  func coldStart() async throws {
    try await withStage(#"{"effect":{"coldStart":{"idle":"10m","delay":"100ms"}}}"#) { stage in
      let took = try await time {
        let clients = try (0..<4).map { _ in try WireConnection(stage.server.port) }
        for client in clients { try client.send(wire("GET", "/users/1")) }
        for client in clients { _ = try client.response() }
      }
      #expect(took >= .milliseconds(100))
      #expect(try exchange(stage.server, wire("GET", "/users/1"))["Understudy-Fault"] == nil)
      try stage.advanceClock("9m")
      #expect(try exchange(stage.server, wire("GET", "/users/1"))["Understudy-Fault"] == nil)
      try stage.advanceClock("11m")
      #expect(try exchange(stage.server, wire("GET", "/users/1"))["Understudy-Fault"] == "cold start 100ms")
    }
  }

  @Test("a rate limit is reported in every response, refuses with 429, and is reset by the sandbox's clock")
  func rateLimit() async throws {
    try await withStage(#"{"name":"quota","effect":{"rateLimit":{"limit":2,"window":"1m"}}}"#) { stage in
      _ = try stage.json("/_mock/clock", "PATCH", #"{"frozen":true}"#)
      var responses = try (1...3).map { _ in try exchange(stage.server, Stage.write) }
      #expect(responses.map(\.status) == [200, 200, 429])
      #expect(responses.map { $0["RateLimit"] } == ["\"quota\";r=1;t=60", "\"quota\";r=0;t=60", "\"quota\";r=0;t=60"])
      #expect(responses.allSatisfy { $0["RateLimit-Policy"] == "\"quota\";q=2;w=60" })
      #expect(responses.map { $0["Retry-After"] } == [nil, nil, "60"])
      #expect(responses[2].text.contains("quota-exceeded") && responses[2].text.contains("violated-policies"))
      #expect(try stage.spots() == 41)
      try stage.advanceClock("59s")
      responses = [try exchange(stage.server, Stage.write)]
      #expect(responses[0]["Retry-After"] == "1")
      try stage.advanceClock("1s")
      #expect(try exchange(stage.server, Stage.write)["RateLimit"] == "\"quota\";r=1;t=60")
    }
  }

  @Test("windows, periods and the house's dates follow the sandbox's clock, and Date does not")
  func windows() async throws {
    try await withStage(
      #"{"when":{"from":"10s","until":"20s"},"effect":{"status":503}}"#,
      #"{"when":{"from":"50s","until":"1m","every":"1m"},"effect":{"status":504}}"#
    ) { stage in
      _ = try stage.json("/_mock/clock", "PATCH", #"{"frozen":true}"#)
      try stage.arm(
        #"{"when":{"from":"10s","until":"20s"},"effect":{"status":503}}"#,
        #"{"when":{"from":"50s","until":"1m","every":"1m"},"effect":{"status":504}}"#)
      var statuses: [Int] = []
      for step in ["1us", "9999999us", "9999999us", "1us", "29999999us", "1us", "10s", "50s", "1h"] {
        try stage.advanceClock(step)
        statuses.append(try exchange(stage.server, wire("GET", "/users/1")).status)
      }
      #expect(statuses == [200, 503, 503, 200, 200, 504, 200, 504, 504])
      func created() throws -> String? {
        let weather = try exchange(stage.server, wire("GET", "/api/location/2165352/"))
        return try JSONValue(parsing: weather.body)["consolidated_weather"]?.array?.first?["created"]?.string
      }
      try stage.arm()
      let (before, real) = (try #require(try created()), try exchange(stage.server, wire())["Date"])
      try stage.advanceClock("8760h")
      let after = try #require(try created())
      #expect(after.prefix(4) > before.prefix(4))
      #expect(try exchange(stage.server, wire())["Date"]?.suffix(18).prefix(5) == real?.suffix(18).prefix(5))
      _ = try stage.json("/_mock/clock", "PATCH", #"{"frozen":false}"#)
      let now = try stage.json("/_mock/clock")["now"]?.string ?? ""
      #expect(now.prefix(4) >= after.prefix(4), "it continues from there")
    }
  }
}

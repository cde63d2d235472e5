import JSON
import Testing
import Understudy

@testable import UnderstudyTesting

@Suite("A scenario as a value")
struct ScenarioTests {
  @Test("encodes as the JSON of a scenario file")
  func isJSON() throws {
    let scenario = Scenario("tunnel", about: "A tunnel.") {
      Rule(.reset, name: "lost", for: .writes, .api(.devices), when: .nth(3), .chance(1, in: 10), phase: .after)
      Rule(.status(503, retryAfter: .seconds(2)), for: .request(.patch, "/devices/*"))
      for second in [1, 2] { Rule(.latency(.seconds(second))) }
    }
    #expect(
      try scenario.json().text == """
        {"name":"tunnel","about":"A tunnel.","rules":[\
        {"name":"lost","match":{"api":"devices","changes":true},"when":{"chance":"1/10","nth":3},"phase":"after",\
        "effect":{"fault":"reset"}},\
        {"match":{"method":["PATCH"],"path":"/devices/*"},"effect":{"status":503,"retryAfter":"2s"}},\
        {"effect":{"latency":"1s"}},{"effect":{"latency":"2s"}}]}
        """)
  }

  @Test("is accepted by the server with every effect, match and condition", .understudy())
  func isTaken() async throws {
    let scenario = Scenario("all") {
      Rule(.latency(.uniform(.milliseconds(1), .milliseconds(2))), for: .reads)
      Rule(.latency(.normal(mean: .milliseconds(2), deviation: .milliseconds(1))), for: .method(.get, .head))
      Rule(.latency(.lognormal(median: .milliseconds(1), p99: .milliseconds(3))), for: .path("/users/**"))
      Rule(
        .latency(.percentiles([50: .milliseconds(1), 99: .milliseconds(2)])), for: .header("X-A"), .header("X-B", "1*"))
      Rule(.status(503, retryAfter: .seconds(2), asDate: true), when: .requests(2...4))
      Rule(.rateLimit(10, per: .seconds(60)), when: .requests(5...))
      Rule(.coldStart(after: .seconds(30), delay: .seconds(5)))
      for effect in [Rule.Effect.resetBare, .empty, .badChunk, .garbage, .corrupt, .drift, .wrongType, .captivePortal] {
        Rule(effect, when: .chance(1, in: 1_000))
      }
      Rule(.hang(for: .seconds(1), then: .close), when: .nth(100))
      Rule(.stall(at: .init(1, of: 3), for: .seconds(1), then: .reset), when: .nth(100))
      Rule(.truncate(at: .half), when: .nth(100))
      Rule(.truncate(afterEvents: 2), for: .path("/rooms/stream"), when: .nth(100))
      Rule(.stall(afterEvents: 1, for: .seconds(1)), for: .path("/rooms/stream"), when: .nth(101))
      Rule(.reset(afterEvents: 3), for: .path("/rooms/stream"), when: .nth(102))
      Rule(.stale(versions: 2), when: .nth(100))
      Rule(.pace(bytesPerSecond: 2_000), when: .nth(100))
      Rule(.offline, when: .window(from: .seconds(30), until: .seconds(50), every: .seconds(90)))
      Rule(.rivals(every: .seconds(2)), for: .api(.booking))
    }
    let backend = try Backend.current
    try await backend.setScenario(scenario)
    #expect(try await backend.scenario().name == "all")
  }

  @Test(
    "is refused by the server with a value that no rule may have",
    arguments: [
      (Rule(.status(700)), "/scenario/rules/0/effect/status"),
      (Rule(.offline, when: .chance(3, in: 2)), "/when/chance"),
      (Rule(.reset, for: .path("devices")), "/scenario/rules/0/match/path"),
      (Rule(.stall(at: .init(1, of: 0))), "/scenario/rules/0/effect/at"),
    ])
  func refusesValues(rule: Rule, pointer: String) async throws {
    let error = await #expect(throws: BackendError.self) { try await Backend.start(Scenario { rule }) }
    #expect(try #require(error).description.contains(pointer))
  }

  @Test("has a constant for each built-in scenario")
  func builtIn() throws {
    let values: [Scenario] = [
      .calm, .original, .basement, .elevator, .train, .hotelWiFi, .edge, .threeG, .lostAck, .overload, .rateLimited,
      .weatherLimit, .coldStart, .rushHour, .schemaDrift, .mayhem,
    ]
    #expect(try values.map { try $0.json().string } == MockServer.scenarios.map(\.name))
  }

  @Test(
    "is refused with a sentence that names the error",
    arguments: [
      (Scenario.named("rainy"), "there is no scenario"), (.json("{"), "The scenario is not JSON: at byte 1"),
      (.json(#"{"rules": [{"effect": {"fault": "explode"}}]}"#), "/scenario/rules/0/effect"),
    ])
  func isRefused(scenario: Scenario, words: String) async throws {
    let error = await #expect(throws: BackendError.self) { try await Backend.start(scenario) }
    let sentence = try #require(error).description
    #expect(sentence.contains(words) && !sentence.contains("--"), "\(sentence)")
  }
}

import Contract
import Faults
import HTTP1
import JSON
import Primitives
import Testing

@testable import Understudy

@Suite("Long paths, and scenarios of many rules")
struct LongPathTests {
  @Test("a route is cached for a path of the maximum length, and not for a longer one")
  func destinations() throws {
    let known = RouteCache()
    let longest = "/users/" + String(repeating: "u", count: RouteCache.maximumPathBytes - "/users/".count)
    for path in [longest, longest + "u"] {
      let request = try parsed(wire("GET", path))
      known.store(.immediate(.unknownPath(path), api: nil), for: request, api: nil)
      #expect((known.find(request, api: nil) != nil) == (path == longest))
    }
  }

  private static func stream(_ number: Int) -> Faults.RequestKey {
    Faults.RequestKey(api: "users", method: "GET", path: "/users/\(number)" + String(repeating: "u", count: 8_000))
  }

  /// The bytes of all texts in a value and its children.
  private func textBytes(in value: Any) -> Int {
    if let text = value as? String { return text.utf8.count }
    return Mirror(reflecting: value).children.reduce(0) { $0 + textBytes(in: $1.value) }
  }

  @Test("streams of long paths are counted separately, without storing their paths")
  func streams() {
    let scenarioState = ScenarioState(.calm, seed: 1, at: Instant(seconds: 0))
    let before = textBytes(in: scenarioState)
    for round in 1...3 {
      for number in 1...200 where scenarioState.count(Self.stream(number)) != round {
        Issue.record("request \(round) of stream \(number) has another ordinal")
      }
    }
    #expect(scenarioState.count(of: Self.stream(7)) == 3 && scenarioState.count(of: Self.stream(201)) == 0)
    #expect(textBytes(in: scenarioState) == before)
  }

  @Test("the rules of streams over the limit are not cached, and have the same plans")
  func rules() throws {
    let rules = (1..<Scenario.maximumRules).map {
      "{\"name\":\"r\($0)\",\"when\":{\"nth\":\($0 + 1)},\"effect\":{\"status\":503}}"
    }
    let scenario = try Scenarios.read(
      JSONValue(parsing: "{\"name\":\"many\",\"rules\":[\(rules.joined(separator: ","))]}"))
    let scenarioState = ScenarioState(scenario, seed: 1, at: Instant(seconds: 0))
    let count = ScenarioState.maximumRuleIndices / rules.count + 10
    for number in 1...count { #expect(scenarioState.count(Self.stream(number)) == 1) }
    #expect(
      scenarioState.progress.ruleIndexCount <= ScenarioState.maximumRuleIndices
        && scenarioState.progress.ruleIndexCount > ScenarioState.maximumRuleIndices - rules.count)
    for number in [1, count] {
      let n = scenarioState.count(Self.stream(number))
      #expect(n == 2)
      let context = RequestContext(stream: Self.stream(number), position: .ordinal(n), changes: false)
      #expect(scenarioState.plan(for: context) { _ in nil }.rules == ["r1"])
    }
  }
}

import JSON
import Testing

@testable import Faults

@Suite("A plan that follows from the request's identity")
struct IdentityTests {
  static let rules = [
    Rule("slow", effect: Effect(Latency(.uniform(.seconds(1), .seconds(3))))),
    Rule("thin", when: Trigger(chance: Ratio("1/3")), effect: Effect(Pace(bytesPerSecond: 500))),
    Rule(when: Trigger(chance: Ratio("1/5")), effect: Effect(Status(503))),
    Rule("lost", match: Match(changes: true), when: Trigger(chance: Ratio("1/4")), phase: .after, effect: .reset),
  ]

  private func plans(_ rules: [Rule], seed: UInt64 = 1, _ requests: [RequestContext]) -> [Plan] {
    let armed = ArmedScenario(Scenario(name: "test", rules: rules), seed: seed)
    var state = ScenarioCounters(armed)
    return requests.map { armed.plan(for: $0, state: &state) }
  }

  static let requests = (1...60).flatMap { n in
    (0..<5).map { device in
      RequestContext(
        stream: RequestKey(api: "devices", method: "PATCH", path: "/devices/\(device)"), position: .ordinal(n),
        changes: true)
    }
  }

  @Test("does not depend on the order of requests")
  func order() {
    let forwards = plans(Self.rules, Self.requests)
    let backwards = plans(Self.rules, Self.requests.reversed())
    #expect(forwards == backwards.reversed())
  }

  @Test("has the same delays for any order of the rules")
  func ruleOrder() {
    let delays = plans(Self.rules, Self.requests).map(\.delay)
    #expect(plans(Self.rules.reversed(), Self.requests).map(\.delay) == delays)
  }

  @Test("keeps the draws of the other rules when a rule is removed")
  func removal() {
    let all = plans(Self.rules, Self.requests)
    let without = plans([Self.rules[0], Self.rules[1], Self.rules[3]], Self.requests)
    for (all, without) in zip(all, without) {
      #expect(all.delay == without.delay && all.pace == without.pace)
      if all.status == nil { #expect(all.fault == without.fault) }
    }
  }

  @Test("changes with a rule's name, and not with its description")
  func about() {
    var rule = Self.rules[2]
    let before = plans([rule], Self.requests)
    rule.about = "For reasons."
    #expect(plans([rule], Self.requests) == before)
    rule.name = "named"
    #expect(plans([rule], Self.requests).map(\.status) != before.map(\.status))
  }

  @Test("changes with the seed")
  func seeds() {
    #expect(plans(Self.rules, Self.requests) != plans(Self.rules, seed: 2, Self.requests))
    #expect(plans(Self.rules, seed: 2, Self.requests) == plans(Self.rules, seed: 2, Self.requests))
  }

  @Test("is decided by the fault key in place of n")
  func keys() {
    let rule = Rule("half", when: Trigger(chance: .half), effect: .reset)
    let context = (1...200).map { RequestContext(stream: .patch, position: .key("k\($0)"), changes: true) }
    let struck = plans([rule], context).count { $0.ending == .reset }
    #expect(60...140 ~= struck)
    #expect(plans([rule], context) == plans([rule], context))
    let ordinal = Rule("first", when: Trigger(first: 1_000), effect: .reset)
    #expect(plans([ordinal], context).allSatisfy { $0.isEmpty })
  }

  @Test("is equal to its preview")
  func previewed() {
    let armed = ArmedScenario(Scenario(name: "test", rules: Self.rules), seed: 7)
    for context in Self.requests {
      let preview = armed.preview(context)
      #expect(preview.plan == armed.fresh(context))
      #expect(preview.possible.isEmpty)
    }
  }

  @Test("has effects of time or arrival listed as possible in its preview")
  func possible() throws {
    let scenario = Scenario(
      Rule("slow", effect: Effect(Latency(.fixed(.milliseconds(5))))),
      Rule(
        "tunnel", when: Trigger(from: .seconds(50), until: .seconds(60), every: .seconds(90)),
        effect: Effect(Offline())),
      Rule("burst", effect: Effect(RateLimit(limit: 1, window: .seconds(10)))),
      Rule(
        "never", when: Trigger(chance: Ratio("0/1")),
        effect: Effect(ColdStart(idle: .seconds(1), delay: .seconds(1)))),
      Rule("rush", match: Match(api: "devices"), effect: Effect(Rivals(every: .seconds(2), books: 1))))
    let preview = ArmedScenario(scenario, seed: 1).preview(.patch(1))
    #expect(preview.plan.delay == .milliseconds(5))
    #expect(preview.plan.fault == nil)
    #expect(
      try #require(preview.json["possible"]).text == """
        [{"rule":"tunnel","on":"time","words":"offline from 50s until 1m, every 90s"},\
        {"rule":"burst","on":"arrival","words":"limit 1 per 10s"},\
        {"rule":"rush","on":"time","words":"rivals, 1 every 2s"}]
        """)
  }
}

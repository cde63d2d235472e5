import Testing

@testable import Faults

@Suite("Rules that depend on the requests' arrival")
struct ArrivalTests {
  @Test(
    "a rate limit counts the requests that it matches, refuses those over the limit, and starts again with a new window"
  )
  func rateLimit() {
    let armed = ArmedScenario(
      Scenario(Rule("burst", effect: Effect(RateLimit(limit: 2, window: .seconds(10))))), seed: 1)
    var state = ScenarioCounters(armed)
    func plan(_ milliseconds: Int) -> Plan {
      armed.plan(for: .list(1, elapsed: .milliseconds(milliseconds)), state: &state)
    }
    let first = plan(3_000)
    #expect(first.fault == nil && first.rules.isEmpty && first.description.isEmpty)
    #expect(first.rateLimitField == #""burst";r=1;t=10"#)
    #expect(first.rateLimitPolicyField == #""burst";q=2;w=10"#)
    #expect(plan(3_500).rateLimitField == #""burst";r=0;t=10"#)
    let third = plan(4_001)
    #expect(third.status?.status == 429)
    #expect(third.status?.retryAfter == .seconds(9))
    #expect(third.status?.problemType == "https://iana.org/assignments/http-problem-types#quota-exceeded")
    #expect(third.status?.violatedPolicies == ["burst"])
    #expect(third.rateLimitField == #""burst";r=0;t=9"#)
    #expect(third.rules == ["burst"])
    #expect(plan(12_999).status?.status == 429)
    #expect(plan(13_000).rateLimitField == #""burst";r=1;t=10"#)
  }

  @Test(
    "a rule counts per rule all requests that it matches, whatever their paths, but none with a fault key or of OPTIONS"
  )
  func perRule() {
    let rule = Rule(
      "second order", match: Match(methods: ["POST"], path: PathGlob("/orders/*")),
      when: Trigger(requests: Trigger.Ordinals("2...2"), per: .rule), effect: .reset)
    let armed = ArmedScenario(Scenario(rule), seed: 1)
    var state = ScenarioCounters(armed)
    func isReset(_ path: String, _ position: Ordinal = .ordinal(1), isPreflight: Bool = false) -> Bool {
      let stream = RequestKey(api: "upstream", method: "POST", path: path)
      let context = RequestContext(stream: stream, position: position, changes: true, isPreflight: isPreflight)
      return armed.plan(for: context, state: &state).ending == .reset
    }
    #expect(!isReset("/orders/a"))
    #expect(!isReset("/carts/b"))
    #expect(!isReset("/orders/c", .key("c")))
    #expect(!isReset("/orders/d", isPreflight: true))
    #expect(isReset("/orders/e"))
    #expect(!isReset("/orders/f"))
  }

  @Test("a request that got another plan counts per rule, too")
  func perRuleBesides() {
    let when = Trigger(nth: 2, per: .rule)
    let armed = ArmedScenario(Scenario(Rule(when: when, effect: .reset)), seed: 1)
    var state = ScenarioCounters(armed)
    armed.count(.list(1), state: &state)
    #expect(armed.plan(for: .patch(1), state: &state).ending == .reset)
  }

  @Test("a preview calls a rule with ordinals per rule possible, by arrival")
  func perRulePreview() {
    let when = Trigger(nth: 3, per: .rule)
    let preview = ArmedScenario(Scenario(Rule("third", when: when, effect: .reset)), seed: 1).preview(.list(1))
    #expect(preview.plan.isEmpty)
    #expect(preview.possible.map(\.dependence) == [.arrival])
    #expect(preview.possible.map(\.description) == ["reset of each third request that the rule matches"])
  }

  @Test("two rate limits both count each request, and the first that is exceeded refuses it")
  func twoLimits() {
    let armed = ArmedScenario(
      Scenario(
        Rule("second", effect: Effect(RateLimit(limit: 1, window: .seconds(1)))),
        Rule("minute \"x\"", effect: Effect(RateLimit(limit: 9, window: .seconds(60))))), seed: 1)
    var state = ScenarioCounters(armed)
    _ = armed.plan(for: .list(1), state: &state)
    let plan = armed.plan(for: .list(2), state: &state)
    #expect(plan.status?.violatedPolicies == ["second"])
    #expect(plan.rateLimitField == #""second";r=0;t=1, "minute 'x'";r=7;t=60"#)
  }

  @Test("a cold start delays the first request, and all that arrive during its delay")
  func coldStart() {
    let armed = ArmedScenario(
      Scenario(Rule("asleep", effect: Effect(ColdStart(idle: .seconds(30), delay: .seconds(5))))), seed: 1)
    var state = ScenarioCounters(armed)
    func delay(_ seconds: Int) -> Duration {
      armed.plan(for: .list(1, elapsed: .seconds(seconds)), state: &state).delayBefore
    }
    #expect(delay(2) == .seconds(5))
    #expect(delay(4) == .seconds(3))
    #expect(delay(7) == .zero)
    #expect(delay(36) == .zero)
    #expect(delay(66) == .seconds(5))
    #expect(delay(70) == .seconds(1))
    #expect(delay(100) == .zero)
    #expect(delay(131) == .seconds(5))
  }

  @Test("rivals move by the clock, equally in every run, and overdue moves precede a matching request")
  func rivals() {
    let rule = Rule("rush", match: Match(api: "booking"), effect: Effect(Rivals(every: .seconds(2), books: 2)))
    let armed = ArmedScenario(Scenario(rule), seed: 1)
    let booking = RequestKey(api: "booking", method: "GET", path: "/rooms.json")
    var state = ScenarioCounters(armed)
    func moves(_ stream: RequestKey, _ seconds: Int) -> [Rivals.Move] {
      let context = RequestContext(stream: stream, position: .ordinal(1), changes: false, elapsed: .seconds(seconds))
      return armed.plan(for: context, state: &state).rivals
    }
    #expect(moves(booking, 1).isEmpty)
    #expect(moves(.list, 9).isEmpty)
    let caughtUp = moves(booking, 9)
    #expect(caughtUp.map(\.at) == [2, 2, 4, 4, 6, 6, 8, 8].map { .seconds($0) })
    #expect(moves(booking, 9).isEmpty)
    var again = ScenarioCounters(armed)
    #expect(armed.rivals(upTo: .seconds(9), state: &again) == caughtUp)
    let many = armed.rivals(upTo: .seconds(1_000_000), state: &again)
    #expect(many.count == Rivals.maximumAtOnce)
    #expect(300...365 ~= many.count(where: \.takes))
  }

  @Test("a long backlog of rivals' moves is cut to the newest ones, with one limit for all rules together")
  func backlog() {
    let rules = (0..<100).map { number in
      Rule("r\(number)", effect: Effect(Rivals(every: .milliseconds(10 + number), books: 1 + number % 3)))
    }
    let armed = ArmedScenario(Scenario(name: "backlog", rules: rules), seed: 1)
    let hour = Duration.seconds(3_600)
    var state = ScenarioCounters(armed)
    let moves = armed.rivals(upTo: hour, state: &state)
    #expect((450...Rivals.maximumAtOnce).contains(moves.count))
    #expect(moves.allSatisfy { $0.at > hour - .seconds(1) && $0.at <= hour })
    #expect(Set(moves.map(\.rule)).count > 90)
    #expect(armed.rivals(upTo: hour, state: &state).isEmpty, "the rest of the backlog is skipped")
    var fresh = ScenarioCounters(armed)
    #expect(armed.plan(for: .list(1, elapsed: hour), state: &fresh).rivals == moves)
  }

  @Test("when more moves are due at one instant than the limit, as many as the limit are made")
  func crowdedMoment() {
    let rules = (0..<100).map { Rule("r\($0)", effect: Effect(Rivals(every: .seconds(60), books: 100))) }
    let armed = ArmedScenario(Scenario(name: "crowd", rules: rules), seed: 1)
    var state = ScenarioCounters(armed)
    #expect(armed.rivals(upTo: .seconds(60), state: &state).count == Rivals.maximumAtOnce)
    #expect(armed.rivals(upTo: .seconds(119), state: &state).isEmpty)
  }

  @Test("the offline state and its end are known without a request")
  func offline() {
    let when = Trigger(from: .seconds(50), until: .seconds(60), every: .seconds(90))
    let armed = ArmedScenario(Scenario(Rule("tunnel", when: when, effect: Effect(Offline()))), seed: 1)
    #expect(armed.outage(at: .seconds(49)) == nil)
    #expect(armed.outage(at: .seconds(50)) != nil)
    #expect(armed.outage(at: .seconds(60)) == nil)
    #expect(armed.outage(at: .seconds(145)) != nil)
    #expect(armed.nextOutageChange(after: .seconds(10)).map { $0 <= .seconds(50) } == true)
    #expect(armed.nextOutageChange(after: .seconds(50)) == .seconds(60))
    #expect(armed.fresh(.list(1, elapsed: .seconds(55))).ending == .offline)
    #expect(ArmedScenario(.calm, seed: 1).nextOutageChange(after: .zero) == nil)
    let always = ArmedScenario(Scenario(Rule(effect: Effect(Offline()))), seed: 1)
    #expect(always.outage(at: .zero) != nil && always.nextOutageChange(after: .zero) == nil)
  }

  @Test("counters of another scenario are replaced by new ones")
  func swapped() {
    let armed = ArmedScenario(
      Scenario(Rule("burst", effect: Effect(RateLimit(limit: 0, window: .seconds(1))))), seed: 1)
    var state = ScenarioCounters(ArmedScenario(.calm, seed: 1))
    #expect(armed.plan(for: .list(1), state: &state).status?.status == 429)
  }
}

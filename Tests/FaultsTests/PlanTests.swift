import JSON
import Testing

@testable import Faults

@Suite("A plan")
struct PlanTests {
  @Test("of a scenario without rules is empty, and has an empty description")
  func calm() {
    let plan = ArmedScenario(.calm, seed: 1).fresh(.list(1))
    #expect(plan == Plan.none)
    #expect(plan.isEmpty)
    #expect(plan.description.isEmpty)
    #expect(plan.json.text == #"{"n":1,"delay":"0ms","phase":"before","rules":[],"words":""}"#)
  }

  @Test("has the sum of all delays, the first ending, and the pace")
  func combines() {
    let scenario = Scenario(
      Rule("slow", effect: Effect(Latency(.fixed(.milliseconds(200))))),
      Rule("slower", effect: Effect(Latency(.fixed(.microseconds(50_345))))),
      Rule("commit", phase: .after, effect: Effect(Latency(.fixed(.milliseconds(5))))),
      Rule("dead spot", phase: .after, effect: .reset),
      Rule("too late", effect: Effect(Status(503))),
      Rule("fast", effect: Effect(Pace(bytesPerSecond: 9_000, chunk: 9))),
      Rule("drip", effect: Effect(Pace(bytesPerSecond: 2_000, chunk: 64))))
    let plan = ArmedScenario(scenario, seed: 1).fresh(.patch(1))
    #expect(plan.delayBefore == .microseconds(250_345))
    #expect(plan.delayAfter == .milliseconds(5))
    #expect(plan.ending == .reset)
    #expect(plan.status == nil)
    #expect(plan.phase == .after)
    #expect(plan.fault?.rule == "dead spot")
    #expect(plan.pace == Pace(bytesPerSecond: 2_000, chunk: 64))
    #expect(plan.rules == ["slow", "slower", "commit", "dead spot", "fast", "drip"])
    #expect(
      plan.description == """
        latency 250.345ms; latency 5ms after commit; reset after commit; pace 2000 B/s in 64 B \
        (rules "slow", "slower", "commit" and 3 more)
        """)
  }

  @Test("has the description of the example in the design")
  func words() {
    let scenario = Scenario(
      Rule(effect: Effect(Latency(.fixed(.milliseconds(250))))),
      Rule("dead spot", phase: .after, effect: .reset))
    let armed = ArmedScenario(scenario, seed: 1)
    #expect(armed.fresh(.patch(1)).description == #"latency 250ms; reset after commit (rule "dead spot")"#)
  }

  @Test("is JSON that fits the control API")
  func item() throws {
    let scenario = Scenario(
      Rule("a", when: Trigger(nth: 2), effect: Effect(Status(503, retryAfter: .seconds(2)))),
      Rule(
        "b", phase: .after,
        effect: Effect(Stall(at: try #require(Ratio("1/3")), Hold(for: .seconds(9), then: .close)))),
      Rule("c", effect: Effect(Latency(.fixed(.microseconds(12_345))))))
    let armed = ArmedScenario(scenario, seed: 1)
    #expect(
      armed.fresh(.patch(1)).json.text == """
        {"n":1,"delay":"12.345ms","fault":"stall","phase":"after","at":"1/3","rules":["b","c"],\
        "words":"latency 12.345ms; stall at 1/3 for 9s, then close after commit (rules \\"b\\", \\"c\\")"}
        """)
    #expect(
      armed.fresh(.patch(2)).json.text == """
        {"n":2,"delay":"12.345ms","status":503,"phase":"before","rules":["a","c"],\
        "words":"latency 12.345ms; status 503, retry after 2s before commit (rules \\"a\\", \\"c\\")"}
        """)
    var keyed = RequestContext.patch(1)
    keyed.position = .key("k")
    #expect(armed.fresh(keyed).json["key"] == "k")
    #expect(armed.fresh(keyed).json["n"] == nil)
  }

  @Test("has a description that fits a header field, whatever the rules' names")
  func header() {
    let rules = (0..<9).map {
      Rule("\"\(String(repeating: "é\\\u{1F3B2}", count: 30))\($0)", effect: Effect(PlainFault(.ending(.empty))))
    }
    for rule in rules {
      let scenario = Scenario(Rule(rule.name, effect: Effect(Latency(.fixed(.milliseconds(1))))))
      let words = ArmedScenario(scenario, seed: 1).fresh(.patch(1)).description
      #expect(words.utf8.allSatisfy { 0x20...0x7E ~= $0 })
      #expect(words.utf8.count <= 250)
    }
  }

  @Test("follows a match by api, method, path, changes or header alone")
  func matches() throws {
    func applies(_ match: Match, _ context: RequestContext, header: String? = nil) -> Bool {
      let armed = ArmedScenario(Scenario(Rule(match: match, effect: .reset)), seed: 1)
      func field(_ name: String) -> String? { name.lowercased() == "x-build" ? header : nil }
      let plan = armed.fresh(context, header: field)
      let preview = armed.preview(context, header: field)
      #expect(preview.plan.ending == plan.ending, "the preview of \(match)")
      return plan.ending == .reset
    }
    #expect(applies(Match(), .patch(1)))
    #expect(applies(Match(api: "devices"), .patch(1)) && !applies(Match(api: "users"), .patch(1)))
    #expect(applies(Match(methods: ["PUT", "PATCH"]), .patch(1)) && !applies(Match(methods: ["PATCH"]), .list(1)))
    let path = try #require(PathGlob("/devices/*"))
    #expect(applies(Match(path: path), .patch(1)) && !applies(Match(path: path), .list(1)))
    #expect(applies(Match(changes: true), .patch(1)) && !applies(Match(changes: true), .list(1)))
    #expect(applies(Match(changes: false), .list(1)) && !applies(Match(changes: false), .patch(1)))
    let field = Match(headers: [Match.Header("X-Build", Glob("1.*"))])
    #expect(applies(field, .patch(1), header: "1.2"))
    #expect(!applies(field, .patch(1), header: "2.1"))
    #expect(!applies(field, .patch(1)))
  }

  @Test("is empty for a preflight, unless a rule names OPTIONS")
  func preflights() {
    let context = RequestContext(
      stream: RequestKey(api: "devices", method: "OPTIONS", path: "/devices"), position: .ordinal(1), changes: false,
      isPreflight: true)
    let everything = ArmedScenario(Scenario(Rule(effect: .reset)), seed: 1)
    #expect(everything.fresh(context).isEmpty)
    let named = ArmedScenario(Scenario(Rule(match: Match(methods: ["OPTIONS"]), effect: .reset)), seed: 1)
    #expect(named.fresh(context).ending == .reset)
    #expect(everything.preview(context).plan.isEmpty)
    #expect(named.preview(context).plan.ending == .reset)
  }

  @Test("has at most one of status, damage and ending")
  func interpreters() {
    for text in ScenarioTests.effects {
      guard let effect = try? Effect(json: JSONValue(parsing: text)) else { continue }
      let plan = ArmedScenario(Scenario(Rule(effect: effect)), seed: 1).fresh(.patch(1))
      let views = [plan.status != nil, plan.damage != nil, plan.ending != nil].count { $0 }
      #expect(views == (plan.fault == nil ? 0 : 1))
      #expect(effect.kind.isFault == (plan.fault?.action.faultName == effect.kind.name) || effect.kind == Offline.kind)
    }
  }

  @Test("has the pace's exact delay for each byte")
  func pace() {
    let pace = Pace(bytesPerSecond: 2_000, chunk: 64)
    #expect(pace.delay(untilByte: 0) == .zero)
    #expect(pace.delay(untilByte: 64) == .milliseconds(32))
    #expect(pace.delay(untilByte: 2_000) == .seconds(1))
    #expect(Pace(bytesPerSecond: 1).delay(untilByte: 1_000_000_000) == .seconds(1_000_000_000))
  }
}

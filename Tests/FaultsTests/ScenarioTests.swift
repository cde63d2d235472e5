import Faults
import JSON
import Testing

@Suite("A scenario")
struct ScenarioTests {
  @Test("reads back from its JSON as the same scenario, and has one canonical form")
  func roundTrip() throws {
    let text = """
      {"name": "basement", "about": "Dark.", "rules": [{"name": "dead spot", "about": "No signal.", \
      "match": {"api": "devices", "method": ["PATCH"], "path": "/devices/*", "changes": true, \
      "header": {"X-Build": "*"}}, "when": {"chance": "1/10", "first": 20, "nth": 3, "requests": "5...9", \
      "from": "30s", "until": "50s", "every": "90s"}, "phase": "after", "effect": {"fault": "reset"}}]}
      """
    let json = try JSONValue(parsing: text)
    let scenario = try Scenario(json: json, operations: OperationContext.sample)
    #expect(scenario.json == json)
    #expect(try Scenario(json: scenario.json) == scenario)
  }

  static let effects = [
    #"{"latency":"200ms"}"#, #"{"latency":{"uniform":["1s","3s"]}}"#,
    #"{"latency":{"normal":{"mean":"1.5s","deviation":"250us"}}}"#,
    #"{"latency":{"lognormal":{"median":"80ms","p99":"2m"}}}"#,
    #"{"latency":{"percentiles":{"50":"80ms","99.9":"400ms","100":"2s"}}}"#,
    #"{"status":503}"#, #"{"status":503,"retryAfter":"2s","retryAfterDate":true,"body":{"b":1,"a":null}}"#,
    #"{"rateLimit":{"limit":10,"window":"1m"}}"#, #"{"coldStart":{"idle":"30s","delay":"5s"}}"#,
    #"{"pace":{"bytesPerSecond":2000,"chunk":64}}"#, #"{"offline":true}"#, #"{"offline":"refused"}"#,
    #"{"offline":"silence"}"#, #"{"rivals":{"every":"2s","books":1}}"#,
    #"{"fault":"reset"}"#, #"{"fault":"reset-bare"}"#, #"{"fault":"empty"}"#, #"{"fault":"hang"}"#,
    #"{"fault":"hang","for":"90s"}"#, #"{"fault":"stall","at":"1/2","for":"1s","then":"reset"}"#,
    #"{"fault":"truncate","at":"0/1"}"#, #"{"fault":"bad-chunk"}"#, #"{"fault":"garbage"}"#,
    #"{"fault":"corrupt"}"#, #"{"fault":"drift"}"#, #"{"fault":"wrong-type"}"#, #"{"fault":"captive-portal"}"#,
    #"{"fault":"stale","versions":3}"#,
  ]

  @Test("reads and writes every effect as JSON", arguments: effects)
  func effectRoundTrip(text: String) throws {
    let effect = try Effect(json: JSONValue(parsing: text))
    #expect(effect.json.text == text)
    #expect(!effect.description.isEmpty)
    #expect(effect.description.utf8.allSatisfy { 0x20...0x7E ~= $0 })
  }

  @Test("is tested with an example of every kind of effect")
  func everyKind() throws {
    let kinds = try Self.effects.map { try Effect(json: JSONValue(parsing: $0)).kind }
    #expect(Set(kinds) == Set(Effect.Kind.allCases))
  }

  @Test("has the defaults for an effect's missing parameters")
  func defaults() throws {
    #expect(try Effect(json: ["fault": "stall"]).json.text == #"{"fault":"stall","at":"1/2"}"#)
    #expect(try Effect(json: ["fault": "stale"]).json.text == #"{"fault":"stale","versions":1}"#)
    #expect(
      try Effect(json: ["pace": ["bytesPerSecond": 2000]]).json.text
        == #"{"pace":{"bytesPerSecond":2000,"chunk":200}}"#)
  }

  @Test("has at most a thousand rules")
  func bound() throws {
    let rules = (1...Scenario.maximumRules).map {
      JSONValue.object(.init([.init("effect", ["latency": .string("\($0)us")])]))
    }
    #expect(try Scenario(json: ["name": "x", "rules": .array(rules)]).rules.count == 1_000)
    let violation = #expect(throws: ValidationError.self) {
      try Scenario(json: ["name": "x", "rules": .array(rules + [["effect": ["offline": true]]])])
    }
    #expect(violation == ValidationError(.root / "rules", "expected at most 1000 rules, found 1001"))
  }

  static let slips: [(json: String, pointer: String, detail: String)] = [
    ("[]", "", #"expected a scenario, as in {"name": "basement", "rules": []}, found an array"#),
    ("{}", "/rules", "expected an array of rules, found nothing"),
    (
      #"{"name": 7, "rules": []}"#, "/name", "expected a text of 1 to 100 characters and no control characters, found 7"
    ),
    (#"{"name": "x"}"#, "/rules", "expected an array of rules, found nothing"),
    (#"{"name": "x", "rules": [], "seed": 1}"#, "/seed", "unknown key; expected one of name, about, rules"),
    (
      #"{"name": "x", "rules": [{"name": "a", "effect": {"status": 500}}, {"name": "a", "effect": {"status": 503}}]}"#,
      "/rules/1/name", "expected a unique name, found it a second time"
    ),
    (
      #"{"name": "x", "rules": [{"effect": {"status": 500}}, {"about": "again", "effect": {"status": 500}}]}"#,
      "/rules/1", "expected a rule that differs from the others, or a name of its own"
    ),
  ]

  @Test("is refused if a member outside its rules is invalid", arguments: slips)
  func refused(json: String, pointer: String, detail: String) {
    let violation = #expect(throws: ValidationError.self) { try Scenario(parsing: json) }
    #expect(violation?.pointer.description == pointer)
    #expect(violation?.detail == detail)
  }

  static let phases: [(rule: String, detail: String?)] = [
    (#""match": {"api": "devices"}, "effect": {"fault": "reset"}"#, nil),
    (#""effect": {"fault": "reset"}"#, nil),
    (#""match": {"api": "house", "method": ["GET"]}, "effect": {"fault": "reset"}"#, nil),
    (#""match": {"path": "/*/Light1/on"}, "effect": {"fault": "reset"}"#, nil),
    (
      #""match": {"path": "/devices"}, "effect": {"fault": "reset"}"#,
      "no operation that the rule matches is a write"
    ),
    (
      #""match": {"method": ["HEAD"]}, "effect": {"fault": "empty"}"#,
      "no operation that the rule matches is a write"
    ),
    (#""match": {"changes": false}, "effect": {"status": 500}"#, "no operation that the rule matches is a write"),
    (
      #""match": {"api": "house", "path": "/weather/*"}, "effect": {"fault": "reset"}"#,
      "no operation that the rule matches is a write"
    ),
    (#""effect": {"offline": true}"#, "offline: nothing reaches a backend that is offline"),
    (#""effect": {"rivals": {"every": "1s"}}"#, "rivals: rivals act independently of requests"),
    (
      #""effect": {"coldStart": {"idle": "1s", "delay": "1s"}}"#,
      "coldStart: no request is applied before the backend is awake"
    ),
    (
      #""effect": {"rateLimit": {"limit": 1, "window": "1s"}}"#,
      "rateLimit: a request over the limit is refused before it is read"
    ),
    (#""effect": {"pace": {"bytesPerSecond": 1}}"#, "pace: a pace only slows the response down"),
  ]

  @Test("has a phase only with effects that can occur after the change", arguments: phases)
  func phase(rule: String, detail: String?) throws {
    let json = try JSONValue(parsing: #"{"name": "x", "rules": [{"phase": "after", "# + rule + "}]}")
    guard let detail else {
      #expect(throws: Never.self) { try Scenario(json: json, operations: OperationContext.sample) }
      return
    }
    let violation = #expect(throws: ValidationError.self) {
      try Scenario(json: json, operations: OperationContext.sample)
    }
    #expect(violation?.pointer.description == "/rules/0/phase")
    #expect(violation?.detail.hasSuffix(detail) == true)
  }

  @Test("takes the whole sandbox offline, and not a part of it")
  func offline() throws {
    let narrowed = #expect(throws: ValidationError.self) {
      try Scenario(parsing: #"{"name":"x","rules":[{"match":{"api":"users"},"effect":{"offline":true}}]}"#)
    }
    #expect(narrowed?.pointer.description == "/rules/0/match")
    let thrown = #expect(throws: ValidationError.self) {
      try Scenario(parsing: #"{"name":"x","rules":[{"when":{"chance":"1/2"},"effect":{"offline":true}}]}"#)
    }
    #expect(thrown?.pointer.description == "/rules/0/when")
  }
}

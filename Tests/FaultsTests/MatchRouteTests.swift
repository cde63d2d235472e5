import Faults
import JSON
import Testing

@Suite("A match that no request can meet")
struct MatchRouteTests {
  static let slips: [(match: String, pointer: String, detail: String)] = [
    (#"{"path": "/device/*"}"#, "/path", #"a path that an API has, found "/device/*"; did you mean "/devices/*"?"#),
    (#"{"path": "/Devices"}"#, "/path", #"a path that an API has, found "/Devices"; did you mean "/devices"?"#),
    (
      #"{"path": "/devices/*/notes"}"#, "/path",
      #"a path that an API has, found "/devices/*/notes"; openapi.yaml lists"#
    ),
    (#"{"api": "devices", "path": "/nowhere"}"#, "/path", "expected one of /devices, /devices/*"),
    (#"{"api": "house", "path": "/devices"}"#, "/path", "that is a path of devices"),
    (#"{"path": "/@devices/devices"}"#, "/path", #"has no labels, as in {"api":"devices","path":"/devices"}"#),
    (#"{"path": "/@ci-42/devices"}"#, "/path", #"has no labels, as in {"path":"/devices"}"#),
    (#"{"path": "/@house/tv/on"}"#, "/path", #"has no labels, as in {"api":"house","path":"/tv/on"}"#),
    (#"{"path": "/_mock/*/on"}"#, "/path", "no scenario affects the control API"),
    (#"{"path": "/devices/A?x=1"}"#, "/path", "a path has no query"),
    (#"{"path": "/_mock/**"}"#, "/path", "no scenario affects the control API"),
    (#"{"path": "/devices?id=1"}"#, "/path", "a path has no query"),
    (#"{"path": "/devices/A%20B"}"#, "/path", "percent-decoded"),
    (#"{"path": "/devices/A%2f"}"#, "/path", "percent-decoded"),
    (#"{"path": "/@house/a room with a name of some length/light/on"}"#, "/path", #"as in {"api": …, "path": …}"#),
    (#"{"method": "HEAD", "path": "/devices/*"}"#, "/method", "expected one of PATCH, OPTIONS, which"),
    (
      #"{"method": "DELETE", "path": "/devices"}"#, "/method",
      "expected one of GET, HEAD, OPTIONS, which the matched operations have, found DELETE"
    ),
    (#"{"method": ["POST", "PUT"], "api": "devices"}"#, "/method", "GET, HEAD, PATCH, OPTIONS"),
    (#"{"path": "/devices", "changes": true}"#, "/changes", "expected false: no operation that the rule matches can"),
    (#"{"method": "HEAD", "changes": true}"#, "/changes", "no operation"),
    (#"{"method": "PATCH", "changes": false}"#, "/changes", "expected true: every operation that the rule matches can"),
  ]

  @Test("is refused when the scenario is read, with a suggestion", arguments: slips)
  func refuses(match: String, pointer: String, detail: String) throws {
    let violation = #expect(throws: ValidationError.self) { try Self.scenario(match) }
    #expect(violation?.pointer.description == "/rules/0/match" + pointer)
    #expect(violation?.detail.contains(detail) == true, "\(violation?.detail ?? "")")
  }

  @Test(
    "is distinguished from an unusual match that a request can meet",
    arguments: [
      #"{"path": "/**"}"#, #"{"path": "/*"}"#, #"{"path": "//devices/"}"#, #"{"path": "/devices/**"}"#,
      #"{"path": "/d*s/*"}"#, #"{"path": "/Living Room/Light/on"}"#, #"{"path": "/devices/100%"}"#,
      #"{"path": "/devices/100%Auto"}"#,
      #"{"method": ["POST", "PATCH"], "path": "/devices/*"}"#, #"{"method": "HEAD", "path": "/devices"}"#,
      #"{"method": "OPTIONS", "path": "/devices"}"#, #"{"changes": true, "method": "GET"}"#,
      #"{"changes": false, "path": "/devices/*"}"#,
    ])
  func allows(match: String) throws { _ = try Self.scenario(match) }

  @Test("is refused with each existing path named once")
  func namesPathsOnce() {
    let operations =
      OperationContext.sample + [
        OperationContext(api: "devices", method: "GET", path: "/devices/{id}", changes: false)
      ]
    let text = #"{"rules": [{"match": {"api": "devices", "path": "/nowhere"}, "effect": {"fault": "reset"}}]}"#
    let violation = #expect(throws: ValidationError.self) { try Scenario(parsing: text, operations: operations) }
    #expect(violation?.detail.hasSuffix("; expected one of /devices, /devices/*") == true)
  }

  @Test("is accepted where the operations are unknown")
  func needsOperations() throws {
    _ = try Scenario(parsing: #"{"rules": [{"match": {"path": "/nowhere"}, "effect": {"fault": "reset"}}]}"#)
  }

  private static func scenario(_ match: String) throws -> Scenario {
    let text = #"{"rules": [{"match": "# + match + #", "effect": {"fault": "reset"}}]}"#
    return try Scenario(parsing: text, operations: OperationContext.sample)
  }
}

@Suite("A short form of a scenario")
struct ScenarioFormTests {
  @Test("needs no name, and has the same plans as with a name")
  func needsNoName() throws {
    let rules = #""rules": [{"match": {"api": "devices"}, "when": {"chance": "1/2"}, "effect": {"status": 503}}]"#
    let unnamed = try Scenario(parsing: "{\(rules)}")
    let named = try Scenario(parsing: "{\"name\": \"x\", \(rules)}")
    #expect(unnamed.name == "custom")
    let plans = [unnamed, named].map { scenario in
      (1...64).map { ArmedScenario(scenario, seed: 7).fresh(.patch($0)) }
    }
    #expect(plans[0] == plans[1])
  }

  @Test("may name its schema")
  func allowsSchema() throws {
    let scenario = try Scenario(parsing: #"{"$schema": "./scenario.json", "rules": []}"#)
    #expect(scenario.json == ["name": "custom", "rules": []])
  }

  @Test("may have one method as a string, and is the same rule as with a list of one")
  func takesOneMethod() throws {
    let rules = try [#""PATCH""#, #"["PATCH"]"#].map { method in
      try Scenario(parsing: #"{"rules": [{"match": {"method": \#(method)}, "effect": {"fault": "reset"}}]}"#).rules[0]
    }
    #expect(rules[0] == rules[1] && rules[0].identity == rules[1].identity)
  }
}

import Faults
import JSON
import Testing

@testable import ControlAPI

@Suite("The schema of scenarios")
struct ScenarioSchemaTests {
  private static let schema = SchemaDocument.named("scenario").map { JSONSchema(document: $0.json) }

  /// Returns whether the schema and the server each allow a scenario with one rule.
  private func verdicts(_ rule: String) throws -> (schema: Bool, server: Bool) {
    let scenario: JSONValue = ["name": "x", "rules": [try JSONValue(parsing: rule)]]
    let schema = try #require(Self.schema)
    return (try schema.allows(scenario), (try? Scenario(json: scenario)) != nil)
  }

  private static func rules(_ member: String, _ values: [String]) -> [String] {
    values.map { #"{"\#(member)": \#($0)\#(member == "effect" ? "" : #", "effect": {"fault": "reset"}"#)}"# }
  }

  private static let names = rules("name", [#""""#, "7", #""{""#, #""{a}""#, #""a\u0007""#, #""a\u0085b""#])
  private static let matches = rules(
    "match",
    [
      "[]", #"{"api": ""}"#, #"{"api": 7}"#, #"{"method": "patch"}"#, #"{"method": []}"#, #"{"method": [7]}"#,
      #"{"path": "0"}"#,
      #"{"path": ""}"#, #"{"path": "/a**"}"#, #"{"path": "/**a/b"}"#, #"{"path": ["/a"]}"#, #"{"changes": "yes"}"#,
      #"{"header": {}}"#, #"{"header": {"X Y": "*"}}"#, #"{"header": {"": "*"}}"#, #"{"header": {"X": 1}}"#,
      #"{"header": {"X": "\#(String(repeating: "a", count: 1_001))"}}"#,
      #"{"header": {\#((1...17).map { #""X-\#($0)": "*""# }.joined(separator: ", "))}}"#,
      #"{"operation": ""}"#, #"{"operation": "\#(String(repeating: "a", count: 201))"}"#, #"{"query": "*"}"#,
    ])
  private static let windows = rules(
    "when",
    [
      #"{"chance": "0/0"}"#, #"{"chance": "1/0"}"#, #"{"chance": 0.1}"#, #"{"chance": "-1/2"}"#, #"{"chance": "1"}"#,
      #"{"chance": "1/2000000000"}"#, #"{"first": 0}"#, #"{"nth": -3}"#, #"{"nth": 1.5}"#, #"{"first": 1000000001}"#,
      #"{"requests": "0...5"}"#, #"{"requests": "5...0"}"#, #"{"requests": "5..6"}"#, #"{"requests": "...6"}"#,
      #"{"requests": "1...1000000001"}"#, #"{"requests": "2000000000..."}"#, #"{"nth": 2, "per": "sandbox"}"#,
      #"{"from": "30"}"#, #"{"from": 30}"#, #"{"until": "-1s"}"#, #"{"whenever": true}"#,
    ])
  private static let effects = rules(
    "effect",
    [
      #""reset""#, "{}", #"{"explode": true}"#, #"{"fault": "rest"}"#, #"{"fault": "latency"}"#,
      #"{"fault": "reset", "at": "1/2"}"#, #"{"fault": "empty", "latency": "1s"}"#, #"{"code": 503, "status": 500}"#,
      #"{"fault": "truncate", "at": "1/0"}"#, #"{"fault": "hang", "for": "1s", "then": "explode"}"#,
      #"{"fault": "stale", "versions": 0}"#, #"{"status": 99}"#, #"{"status": "503"}"#,
      #"{"status": 503, "retryAfter": "2"}"#,
      #"{"latency": "250"}"#, #"{"latency": {"uniform": ["3s"]}}"#, #"{"latency": {"uniform": ["1s", 3]}}"#,
      #"{"latency": {"poisson": "1s"}}"#, #"{"latency": {}}"#, #"{"latency": {"normal": {"mean": "1s"}}}"#,
      #"{"latency": {"uniform": ["1s", "2s"], "percentiles": {"50": "1s"}}}"#, #"{"latency": {"percentiles": {}}}"#,
      #"{"latency": {"percentiles": {"101": "1s"}}}"#, #"{"latency": {"percentiles": {"050": "1s"}}}"#,
      #"{"latency": {"percentiles": {"99.90": "1s"}}}"#, #"{"latency": {"percentiles": {"1.2345": "1s"}}}"#,
      #"{"latency": {"percentiles": {\#((1...21).map { #""\#($0)": "1s""# }.joined(separator: ", "))}}}"#,
      #"{"rateLimit": {"limit": 1}}"#, #"{"rateLimit": {"limit": -1, "window": "1s"}}"#, #"{"rateLimit": 5}"#,
      #"{"pace": {"bytesPerSecond": 0}}"#, #"{"pace": {"bytesPerSecond": 1, "chnk": 1}}"#, #"{"offline": "gone"}"#,
      #"{"offline": "reset"}"#, #"{"offline": false}"#,
    ])

  @Test(
    "refuses what the server refuses",
    arguments: names + matches + windows + effects + [#"{}"#, #"7"#, #"{"efect": {}}"#])
  func refuses(rule: String) throws {
    let verdicts = try verdicts(rule)
    #expect(!verdicts.schema && !verdicts.server)
  }

  /// The refusals that only descriptions announce: the relation of two values, and the length of a time.
  private static let relations =
    rules("match", [#"{"method": ["GET", "GET"]}"#])
    + rules(
      "when",
      [
        #"{"chance": "3/2"}"#, #"{"requests": "9...5"}"#, #"{"chance": "1/2", "per": "rule"}"#,
        #"{"first": 2, "nth": 3}"#,
        #"{"from": "30s", "until": "20s"}"#, #"{"every": "90s"}"#, #"{"from": "90s", "every": "90s"}"#,
        #"{"from": "9000h"}"#,
      ])
    + rules(
      "effect",
      [
        #"{"status": 503, "retry-after": "1s", "retryAfter": "2s"}"#, #"{"fault": "hang", "then": "close"}"#,
        #"{"status": 503, "retryAfterDate": true}"#, #"{"status": 204, "body": {}}"#, #"{"latency": "61m"}"#,
        #"{"latency": {"uniform": ["3s", "1s"]}}"#, #"{"latency": {"lognormal": {"median": "1s", "p99": "500ms"}}}"#,
        #"{"latency": {"percentiles": {"99": "1s", "50": "2s"}}}"#,
      ])
    + [
      #"{"phase": "after", "effect": {"offline": true}}"#,
      #"{"match": {"api": "devices"}, "effect": {"offline": true}}"#,
    ]

  @Test("allows more than the server where two values or the length of a time decide", arguments: relations)
  func allowsMore(rule: String) throws {
    let verdicts = try verdicts(rule)
    #expect(verdicts.schema && !verdicts.server)
  }

  private static let sound =
    Effect.Kind.allCases.map { #"{"effect": \#($0.page.example)}"# }
    + rules("name", [#""é {a}""#, #""\#(String(repeating: "👍🏽", count: 100))""#])
    + rules(
      "match",
      [
        "{}", #"{"method": ["PUT", "PATCH"], "path": "/**/a*b*"}"#, #"{"path": "/"}"#, #"{"path": "/devices//x/"}"#,
        #"{"path": "/**/**"}"#, #"{"header": {"X-Build": "", "if-match": "*"}}"#, #"{"operation": "char*"}"#,
      ])
    + rules(
      "when",
      [
        #"{"chance": "0/1"}"#, #"{"chance": "001/010"}"#, #"{"requests": "005..."}"#,
        #"{"requests": "1...1000000000"}"#,
        #"{"first": 3, "per": "rule"}"#, #"{"from": "0.5s", "until": "2m", "every": "1h"}"#,
      ])
    + rules(
      "effect",
      [
        #"{"delay": {"percentiles": {"0": "1ms", "0.5": "2ms", "99.999": "3ms", "100": "4ms"}}}"#,
        #"{"code": 503, "retry-after": "2s"}"#, #"{"fault": "stall", "at": "0/1", "for": "1s", "then": "reset"}"#,
      ])

  @Test("allows what the server allows", arguments: sound)
  func allows(rule: String) throws {
    let verdicts = try verdicts(rule)
    #expect(verdicts.schema && verdicts.server)
  }
}

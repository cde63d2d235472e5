import Faults
import JSON
import Testing

@Suite("An invalid scenario")
struct ScenarioErrorTests {
  struct Slip: Sendable, CustomTestStringConvertible {
    let rule: String
    let pointer: String
    let detail: String
    var testDescription: String { rule }

    init(_ rule: String, _ pointer: String, _ detail: String) {
      self.rule = rule
      self.pointer = pointer
      self.detail = detail
    }
  }

  private static let ratio =
    "expected a ratio from 0/1 to 1/1 of integers of at most nine digits, as in \"1/10\", found "
  private static let faults = """
    expected one of reset, empty, hang, stall, truncate, garbage, corrupt, drift, stale, reset-bare, bad-chunk, \
    wrong-type, captive-portal, found 
    """
  private static func span(_ low: String, _ high: String) -> String {
    "expected a duration with its unit from \(low) to \(high), as in \"250ms\", found "
  }

  static let rules = [
    Slip(#"7"#, "", #"expected a rule, as in {"effect": {"latency": "200ms"}}, found a number"#),
    Slip(#"{}"#, "/effect", "expected an effect, found nothing"),
    Slip(
      #"{"efect": {}}"#, "/efect", "unknown key; expected one of name, about, match, when, phase, effect"),
    Slip(
      #"{"name": "", "effect": {"offline": true}}"#, "/name",
      #"expected a text of 1 to 100 characters and no control characters, found """#),
    Slip(
      #"{"name": "{", "effect": {"offline": true}}"#, "/name",
      #"expected a name that does not start with {, as the content of nameless rules does, found "{""#),
    Slip(
      #"{"phase": "during", "effect": {"fault": "reset"}}"#, "/phase",
      #"expected one of before, after, found "during""#),
    Slip(
      #"{"delay": "1s"}"#, "/delay", #"move it into "effect", as in {"effect": {"delay": …}}"#),
    Slip(
      #"{"path": "/devices", "effect": {"offline": true}}"#, "/path",
      #"move it into "match", as in {"match": {"path": …}}"#),
    Slip(
      #"{"first": 1, "effect": {"offline": true}}"#, "/first", #"move it into "when", as in {"when": {"first": …}}"#),
    Slip(
      #"{"effect": {"latency": "1s", "fault": "reset"}}"#, "/effect",
      #"expected one effect, found "latency" and "fault"; each is the effect of a rule of its own"#),
    Slip(
      #"{"effect": {"code": 503, "status": 500}}"#, "/effect/status",
      #"another word for "code", which is given; keep one of them"#),
    Slip(
      #"{"effect": {"latency": "1s", "delay": "2s"}}"#, "/effect/delay",
      #"another word for "latency", which is given; keep one of them"#),
    Slip(
      #"{"effect": {"status": 503, "retry-after": "1s", "retryAfter": "2s"}}"#, "/effect/retryAfter",
      #"another word for "retry-after", which is given; keep one of them"#),
    Slip(#"{"effect": {"code": 50}}"#, "/effect/code", "expected an integer from 200 to 599, found 50"),
    Slip(
      #"{"effect": {"status": 503, "retry-after": 1}}"#, "/effect/retry-after",
      span("0ms", "24h") + "1"),
    Slip(
      #"{"effect": {"delay": {"uniform": ["2s"]}}}"#, "/effect/delay/uniform",
      #"expected an array of two durations, as in ["1s", "3s"], found an array"#),
  ]

  static let matches = [
    Slip(#"{"api": "devces"}"#, "/match/api", #"expected one of devices, house, found "devces""#),
    Slip(
      #"{"method": "patch"}"#, "/match/method",
      #"expected one of GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS, found "patch"; did you mean PATCH?"#),
    Slip(
      #"{"method": []}"#, "/match/method",
      #"expected a method or an array of methods, as in "PATCH" or ["PUT", "PATCH"], found an array"#),
    Slip(
      #"{"method": 7}"#, "/match/method",
      #"expected a method or an array of methods, as in "PATCH" or ["PUT", "PATCH"], found 7"#),
    Slip(
      #"{"method": ["GET", "patch"]}"#, "/match/method/1",
      #"expected one of GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS, found "patch"; did you mean PATCH?"#),
    Slip(#"{"method": ["GET", "GET"]}"#, "/match/method/1", "expected each method once"),
    Slip(
      #"{"path": "devices"}"#, "/match/path",
      #"expected a path that starts with / and has ** only as a whole segment, as in "/devices/*", found "devices""#),
    Slip(
      #"{"path": "/a**"}"#, "/match/path",
      #"expected a path that starts with / and has ** only as a whole segment, as in "/devices/*", found "/a**""#),
    Slip(#"{"changes": "yes"}"#, "/match/changes", #"expected a boolean, found "yes""#),
    Slip(#"{"header": {}}"#, "/match/header", "expected 1 to 16 header fields, found 0"),
    Slip(#"{"header": {"X Y": "*"}}"#, "/match/header/X Y", "expected the name of a header field"),
    Slip(#"{"header": {"X/Y": "*"}}"#, "/match/header/X~1Y", "expected the name of a header field"),
    Slip(#"{"header": {"X": 1}}"#, "/match/header/X", "expected a text in which * stands for any run, found 1"),
    Slip(
      #"{"query": "*"}"#, "/match/query", "unknown key; expected one of api, method, path, operation, changes, header"),
  ]

  static let windows = [
    Slip(#"{"chance": "3/2"}"#, "/when/chance", ratio + #""3/2""#),
    Slip(#"{"chance": "1/0"}"#, "/when/chance", ratio + #""1/0""#),
    Slip(#"{"chance": 0.1}"#, "/when/chance", ratio + "0.1"),
    Slip(#"{"chance": "-1/2"}"#, "/when/chance", ratio + #""-1/2""#),
    Slip(#"{"first": 0}"#, "/when/first", "expected an integer from 1 to 1000000000, found 0"),
    Slip(#"{"nth": -3}"#, "/when/nth", "expected an integer from 1 to 1000000000, found -3"),
    Slip(
      #"{"chance": "1/2", "per": "rule"}"#, "/when/per",
      #"expected "first", "nth" or "requests" beside it, which it counts"#),
    Slip(#"{"nth": 2, "per": "sandbox"}"#, "/when/per", #"expected one of path, rule, found "sandbox""#),
    Slip(#"{"nth": 1.5}"#, "/when/nth", "expected an integer from 1 to 1000000000, found 1.5"),
    Slip(
      #"{"requests": "9...5"}"#, "/when/requests",
      #"expected a range of requests counted from 1, as in "5...9" or "5...", found "9...5""#),
    Slip(
      #"{"requests": "0...5"}"#, "/when/requests",
      #"expected a range of requests counted from 1, as in "5...9" or "5...", found "0...5""#),
    Slip(#"{"first": 2, "nth": 3}"#, "/when", "expected first, nth and requests that some request can meet together"),
    Slip(
      #"{"nth": 5, "requests": "6...9"}"#, "/when",
      "expected first, nth and requests that some request can meet together"),
    Slip(#"{"from": "30"}"#, "/when/from", span("0ms", "8760h") + #""30""#),
    Slip(#"{"from": 30}"#, "/when/from", span("0ms", "8760h") + "30"),
    Slip(#"{"from": "30s", "until": "30s"}"#, "/when/until", #"expected a time after "from", found an empty window"#),
    Slip(#"{"from": "30s", "until": "20s"}"#, "/when/until", #"expected a time after "from", found an empty window"#),
    Slip(#"{"until": "0s"}"#, "/when/until", #"expected a time after "from", found an empty window"#),
    Slip(
      #"{"every": "90s"}"#, "/when/every",
      #"expected "from" or "until" beside it, to say which part of each period"#),
    Slip(
      #"{"from": "10s", "until": "100s", "every": "90s"}"#, "/when/until",
      "expected a time within the period of 90s"),
    Slip(#"{"from": "90s", "every": "90s"}"#, "/when/from", "expected a time within the period of 90s"),
    Slip(#"{"every": "0s", "from": "1s"}"#, "/when/every", span("1ms", "8760h") + #""0s""#),
  ]

  static let effects = [
    Slip(#""reset""#, "/effect", #"expected an effect, as in {"fault": "reset"}, found a string"#),
    Slip(
      #"{}"#, "/effect",
      "expected one of latency, status, rateLimit, coldStart, pace, offline, rivals, fault, found nothing"),
    Slip(
      #"{"explode": true}"#, "/effect/explode",
      "unknown key; expected one of latency, status, rateLimit, coldStart, pace, offline, rivals, fault"),
    Slip(#"{"fault": "rest"}"#, "/effect/fault", faults + #""rest""#),
    Slip(#"{"fault": "latency"}"#, "/effect/fault", faults + #""latency""#),
    Slip(#"{"fault": "reset", "at": "1/2"}"#, "/effect/at", "unknown key; expected one of fault, events"),
    Slip(
      #"{"fault": "empty", "latency": "1s"}"#, "/effect",
      #"expected one effect, found "fault" and "latency"; each is the effect of a rule of its own"#),
    Slip(#"{"fault": "truncate", "at": "3/2"}"#, "/effect/at", ratio + #""3/2""#),
    Slip(
      #"{"fault": "hang", "then": "close"}"#, "/effect/then",
      #"expected "for", too: without it nothing follows"#),
    Slip(
      #"{"fault": "hang", "for": "1s", "then": "explode"}"#, "/effect/then",
      #"expected one of reset, close, found "explode""#),
    Slip(#"{"fault": "stall", "for": "2h"}"#, "/effect/for", span("1ms", "1h") + #""2h""#),
    Slip(#"{"fault": "stale", "versions": 0}"#, "/effect/versions", "expected an integer from 1 to 100, found 0"),
    Slip(#"{"status": 99}"#, "/effect/status", "expected an integer from 200 to 599, found 99"),
    Slip(#"{"status": "503"}"#, "/effect/status", #"expected an integer from 200 to 599, found "503""#),
    Slip(#"{"status": 503, "retryAfter": "2"}"#, "/effect/retryAfter", span("0ms", "24h") + #""2""#),
    Slip(#"{"status": 503, "retryAfterDate": true}"#, "/effect/retryAfterDate", #"expected "retryAfter" beside it"#),
    Slip(#"{"status": 204, "body": {}}"#, "/effect/body", "expected no body with status 204, which has no content"),
    Slip(#"{"latency": "250"}"#, "/effect/latency", span("0ms", "1h") + #""250""#),
    Slip(#"{"latency": "61m"}"#, "/effect/latency", span("0ms", "1h") + #""61m""#),
    Slip(
      #"{"latency": {"uniform": ["3s", "1s"]}}"#, "/effect/latency/uniform",
      #"expected the shorter delay first, found "3s" before the other"#),
    Slip(
      #"{"latency": {"uniform": ["3s"]}}"#, "/effect/latency/uniform",
      #"expected an array of two durations, as in ["1s", "3s"], found an array"#),
    Slip(#"{"latency": {"uniform": ["1s", 3]}}"#, "/effect/latency/uniform/1", span("0ms", "1h") + "3"),
    Slip(
      #"{"latency": {"poisson": "1s"}}"#, "/effect/latency/poisson",
      "unknown key; expected one of uniform, normal, lognormal, percentiles"),
    Slip(
      #"{"latency": {"normal": {"mean": "1s"}}}"#, "/effect/latency/normal/deviation",
      span("0ms", "1h") + "nothing"),
    Slip(
      #"{"latency": {"lognormal": {"median": "1s", "p99": "500ms"}}}"#, "/effect/latency/lognormal/p99",
      #"expected at least the median, 1s, found "500ms""#),
    Slip(#"{"latency": {"percentiles": {}}}"#, "/effect/latency/percentiles", "expected 1 to 20 percentiles, found 0"),
    Slip(
      #"{"latency": {"percentiles": {"101": "1s"}}}"#, "/effect/latency/percentiles/101",
      #"expected a percentile from 0 to 100, as in "99.9""#),
    Slip(
      #"{"latency": {"percentiles": {"99": "1s", "50": "2s"}}}"#, "/effect/latency/percentiles/99",
      "expected at least the delay of percentile 50"),
    Slip(#"{"rateLimit": {"limit": 1}}"#, "/effect/rateLimit/window", span("1s", "24h") + "nothing"),
    Slip(
      #"{"rateLimit": {"limit": -1, "window": "1s"}}"#, "/effect/rateLimit/limit",
      "expected an integer from 0 to 1000000, found -1"),
    Slip(
      #"{"rateLimit": 5}"#, "/effect/rateLimit",
      #"expected an object, as in {"limit": 10, "window": "1m"}, found a number"#),
    Slip(#"{"coldStart": {"idle": "30s", "delay": "0s"}}"#, "/effect/coldStart/delay", span("1ms", "1h") + #""0s""#),
    Slip(
      #"{"pace": {"bytesPerSecond": 0}}"#, "/effect/pace/bytesPerSecond",
      "expected an integer from 1 to 1000000000, found 0"),
    Slip(
      #"{"pace": {"bytesPerSecond": 1, "chnk": 1}}"#, "/effect/pace/chnk",
      "unknown key; expected one of bytesPerSecond, chunk"),
    Slip(#"{"offline": "gone"}"#, "/effect/offline", #"expected true, "refused" or "silence", found "gone""#),
    Slip(#"{"offline": "reset"}"#, "/effect/offline", #"expected true, "refused" or "silence", found "reset""#),
    Slip(#"{"offline": false}"#, "/effect/offline", #"expected true, "refused" or "silence", found false"#),
    Slip(#"{"rivals": {"every": "1ms"}}"#, "/effect/rivals/every", span("10ms", "8760h") + #""1ms""#),
  ]

  private func expect(_ slip: Slip, _ rule: String) throws {
    let text = #"{"name": "x", "rules": [{"effect": {"latency": "1ms"}}, "# + rule + "]}"
    let json = try JSONValue(parsing: text)
    let violation = #expect(throws: ValidationError.self) {
      try Scenario(json: json, operations: OperationContext.sample)
    }
    #expect(violation?.pointer.description == "/rules/1" + slip.pointer)
    #expect(violation?.detail == slip.detail)
  }

  @Test("is refused if it has more header fields than can be matched in time")
  func headers() throws {
    func scenario(_ count: Int) throws -> JSONValue {
      let rules = (0..<count / 10).map { rule in
        let fields = (0..<10).map { #""X-\#($0)": "*\#(rule)*""# }.joined(separator: ", ")
        return #"{"name": "\#(rule)", "match": {"header": {\#(fields)}}, "effect": {"latency": "1ms"}}"#
      }
      return try JSONValue(parsing: Array(#"{"name": "x", "rules": [\#(rules.joined(separator: ", "))]}"#.utf8))
    }
    #expect(try Scenario(json: scenario(1_000)).rules.count == 100)
    let violation = try #require(throws: ValidationError.self) { try Scenario(json: scenario(1_010)) }
    #expect(violation.pointer.description == "/rules")
    #expect(violation.detail == "expected at most 1000 header fields in the rules' matches, found 1010")
  }

  @Test("is refused with the position of the error in a rule, and with the expectation", arguments: rules)
  func rule(slip: Slip) throws { try expect(slip, slip.rule) }

  @Test("is refused with the position of the error in a match, and with the expectation", arguments: matches)
  func match(slip: Slip) throws {
    try expect(slip, #"{"effect": {"fault": "reset"}, "match": "# + slip.rule + "}")
  }

  @Test("is refused with the position of the error in a window, and with the expectation", arguments: windows)
  func window(slip: Slip) throws {
    try expect(slip, #"{"effect": {"fault": "reset"}, "when": "# + slip.rule + "}")
  }

  @Test("is refused with the position of the error in an effect, and with the expectation", arguments: effects)
  func effect(slip: Slip) throws { try expect(slip, #"{"effect": "# + slip.rule + "}") }
}

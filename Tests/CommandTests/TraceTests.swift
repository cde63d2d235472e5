import Contract
import Faults
import JSON
import Primitives
import Testing

@testable import Understudy
@testable import UnderstudyCommand

@Suite("A scenario from a trace")
struct TraceTests {
  private static let start = Instant(seconds: 1_767_225_600)

  /// An entry of a journal.
  private static func entry(
    _ id: Int, _ method: String = "GET", _ path: String = "/devices", api: String = "devices", n: Int? = nil,
    at: Duration, wait: Duration = .zero, status: Int? = 200, outcome: String = "sent", more: [JSONValue.Member] = []
  ) -> JSONValue {
    .object(
      JSONValue.Object(
        [
          JSONValue.Member("id", .int(id)), JSONValue.Member("seq", .int(id)),
          JSONValue.Member("at", .string(Timestamp.microseconds(start + at))),
          JSONValue.Member("api", .string(api)), JSONValue.Member("method", .string(method)),
          JSONValue.Member("target", .string(path)), JSONValue.Member("path", .string(path)),
          JSONValue.Member("n", .int(n ?? id)), JSONValue.Member("outcome", .string(outcome)),
          JSONValue.Member("timing", ["actual": .string(DurationText.text(wait))]),
          JSONValue.Member("response", status.map { ["status": .int($0), "headers": ["Retry-After": "2"]] } ?? .null),
        ] + more))
  }

  private static func lines(_ entries: [JSONValue]) -> [UInt8] { Array(entries.map { $0.text + "\n" }.joined().utf8) }

  private static func armed(_ scenario: JSONValue) throws -> ArmedScenario {
    ArmedScenario(try Scenarios.read(JSONValue(parsing: MockServer.checked(scenario: scenario))), seed: 99)
  }

  /// The decisions of a plan, without the names of its rules.
  private static func decisions(_ plan: Plan) -> [JSONValue?] {
    let json = plan.json
    // For a single request, an outage equals a reset before the first byte.
    let fault = json["fault"] == "offline" ? "reset-bare" : json["fault"]
    // The phase matters only for a fault of a request that changes something.
    let phase = plan.fault?.changes == true ? json["phase"] : nil
    return [json["n"], json["delay"], fault, json["status"], phase, json["at"]]
  }

  @Test("repeats the plans of a mayhem journal, request by request", arguments: [UInt64(1), 7])
  func isExact(seed: UInt64) throws {
    let mayhem = ArmedScenario(try Scenarios.load("mayhem"), seed: seed)
    let streams = [
      ("devices", "GET", "/devices"), ("devices", "PATCH", "/devices/WWM-0001-12"), ("users", "GET", "/users/3"),
      ("booking", "POST", "/book"),
    ]
    var entries: [JSONValue] = []
    var plans: [(RequestContext, Plan)] = []
    var state = ScenarioCounters(mayhem)
    for n in 1...60 {
      for (api, method, path) in streams {
        let context = RequestContext(
          stream: RequestKey(api: api, method: method, path: path), position: .ordinal(n), changes: method != "GET")
        let plan = mayhem.plan(for: context, state: &state)
        plans.append((context, plan))
        let shown = plan.isEmpty ? JSONValue.null : plan.json.merging(["effects": .array(plan.effects)])
        entries.append(
          Self.entry(
            entries.count + 1, method, path, api: api, n: n, at: .seconds(n), more: [JSONValue.Member("plan", shown)]))
      }
    }
    let again = try Self.armed(Trace(Self.lines(entries), isExact: true).scenario())
    var other = ScenarioCounters(again)
    var kinds: Set<String> = []
    for (context, plan) in plans {
      let repeated = again.plan(for: context, state: &other)
      #expect(Self.decisions(repeated) == Self.decisions(plan), "\(context.stream.path) \(plan.description)")
      kinds.insert(plan.fault?.action.kind.name ?? "none")
    }
    #expect(kinds.count > 8, "mayhem did more than \(kinds)")
  }

  @Test("keeps the quantiles of latencies within 5 %, and the ratios of failures")
  func quantiles() throws {
    let source = Distribution.lognormal(median: .milliseconds(80), p99: .seconds(2))
    let step = UInt64.max / 4_000
    let waits = (0..<4_000).map { source.delay(UInt64($0) * step + step / 2) }
    // Shuffles the waits, so that neighbours in time are unrelated in length.
    let entries = waits.indices.map { waits[$0 * 1_237 % 4_000] }.enumerated().map { index, wait in
      Self.entry(
        index + 1, at: .milliseconds(10 * index), wait: wait, status: index % 10 == 3 ? 503 : 200,
        outcome: index % 20 == 4 ? "reset" : "sent")
    }
    let armed = try Self.armed(Trace(Self.lines(entries)).scenario())
    var state = ScenarioCounters(armed)
    let plans = (1...60_000).map { n in
      let context = RequestContext(
        stream: RequestKey(api: "devices", method: "GET", path: "/devices"), position: .ordinal(n), changes: false)
      return armed.plan(for: context, state: &state)
    }
    let (drawn, recorded) = (plans.map(\.delay).sorted(), waits.sorted())
    for part in [0.1, 0.5, 0.9, 0.99] {
      let (found, wanted) = (drawn[Int(60_000 * part)].nanoseconds, recorded[Int(4_000 * part)].nanoseconds)
      #expect(abs(Double(found) / Double(wanted) - 1) < 0.05, "p\(part)")
    }
    #expect(abs(plans.count { $0.status?.status == 503 } - 6_000) < 400)
    #expect(plans.compactMap(\.status).allSatisfy { $0.retryAfter == .seconds(2) })
    #expect(abs(plans.count { $0.fault?.action.kind.name == "reset" } - 3_000) < 300)
  }

  @Test("keeps a slow tail where the median is below a millisecond", arguments: [(9, false), (3_000, true)])
  func tail(milliseconds: Int, isKept: Bool) throws {
    let entries = (1...100).map { index in
      Self.entry(index, at: .seconds(index), wait: index % 20 == 0 ? .milliseconds(milliseconds) : .microseconds(300))
    }
    let rules = try Trace(Self.lines(entries)).scenario()["rules"]?.array ?? []
    #expect(rules.contains { $0["effect"]?["latency"] != nil } == isKept)
  }

  @Test("gives each kind of failure its share of the requests that the more frequent kinds leave")
  func shares() throws {
    let statuses = [503, 503, 503, 500, 500, 200]
    let entries = statuses.enumerated().map { Self.entry($0 + 1, at: .seconds($0), status: $1) }
    let rules = try #require(try Trace(Self.lines(entries)).scenario()["rules"]?.array)
    #expect(rules.map { $0["effect"]?["status"] } == [503, 500])
    #expect(rules.map { $0["when"]?["chance"] } == ["3/6", "2/3"])
  }

  @Test("names each rule after its effect and its route")
  func names() throws {
    let entries = [503, 500, 503].enumerated().map { Self.entry($0 + 1, at: .seconds($0), status: $1) }
    let rules = try #require(try Trace(Self.lines(entries)).scenario()["rules"]?.array)
    #expect(rules.map { $0["name"] } == ["status 503 1: devices GET /devices", "status 500 2: devices GET /devices"])
  }

  @Test("has outages as windows, and does not count them as failures of a route")
  func outages() throws {
    let entries = (0..<40).map { second in
      let isOff = (10..<20).contains(second)
      return Self.entry(
        second + 1, at: .seconds(second), status: isOff ? nil : 200, outcome: isOff ? "reset" : "sent",
        more: isOff ? [JSONValue.Member("network", "offline")] : [])
    }
    let scenario = try Trace(Self.lines(entries)).scenario()
    let expected: JSONValue = [
      "name": "outage 1", "when": ["from": "10s", "until": "20s"], "effect": ["offline": true],
    ]
    #expect(scenario["rules"] == [expected])
  }

  @Test("has one outage for failures that are at most a minute apart", arguments: [(60_000, 1), (60_001, 2)])
  func silence(milliseconds: Int, outages: Int) throws {
    let offline = [JSONValue.Member("network", "offline")]
    let entries = [Duration.zero, .milliseconds(milliseconds)].enumerated().map {
      Self.entry($0 + 1, at: $1, status: nil, outcome: "reset", more: offline)
    }
    let rules = try #require(try Trace(Self.lines(entries)).scenario()["rules"]?.array)
    #expect(rules.count == outages, "\(rules)")
  }

  @Test("has an outage of a single request as a window of a millisecond, if no request follows")
  func shortOutage() throws {
    let offline = [JSONValue.Member("network", "offline")]
    let entries = [
      Self.entry(1, at: .zero), Self.entry(2, at: .seconds(1), status: nil, outcome: "reset", more: offline),
    ]
    let rules = try #require(try Trace(Self.lines(entries)).scenario()["rules"]?.array)
    #expect(rules.map { $0["when"] } == [["from": "1s", "until": "1.001s"]])
  }

  @Test("has rules for the routes that another tool recorded of the real services")
  func foreignArchive() throws {
    let archive = """
      {"log": {"version": "1.2", "creator": {"name": "WebInspector", "version": "537.36"}, "entries": [
        {"startedDateTime": "2026-03-01T09:30:00.250Z", "time": 120.5, "timings": {"send": 1, "wait": 100, "receive": 19.5},
         "request": {"method": "GET", "url": "https://jsonplaceholder.typicode.com/users/3?x=1"},
         "response": {"status": 200, "headers": []}},
        {"startedDateTime": "2026-03-01T09:30:01.250Z", "time": 30, "timings": {"send": 1, "wait": 29, "receive": 0},
         "request": {"method": "GET", "url": "https://jsonplaceholder.typicode.com/users/4"},
         "response": {"status": 429, "headers": [{"name": "retry-after", "value": "3"}]}},
        {"startedDateTime": "2026-03-01T09:30:02.250Z", "time": 9,
         "request": {"method": "GET", "url": "https://elsewhere.test/pixel.gif"}, "response": {"status": 200, "headers": []}}
      ]}}
      """
    let trace = try Trace(Array(archive.utf8))
    #expect(trace.foreignCount == 1)
    let rules = try #require(try trace.scenario()["rules"]?.array)
    #expect(rules.allSatisfy { $0["match"] == ["api": "users", "method": "GET", "path": "/users/*"] })
    #expect(rules.count == 2 && rules[0]["effect"]?["latency"] != nil)
    #expect(rules[1]["when"] == ["chance": "1/2"] && rules[1]["effect"] == ["status": 429, "retryAfter": "3s"])
    _ = try Self.armed(trace.scenario())
  }

  @Test(
    "is refused with the reason if the trace is invalid",
    arguments: [
      ("{}", "expected a HAR file"), ("[1", "line 1"), (#"{"entries":[]}"#, "no request"),
      (#"{"entries":[{"outcome":"sent","method":"GET","target":"/devices"}]}"#, "expected an RFC 3339 date in \"at\""),
    ])
  func refusals(text: String, words: String) {
    do {
      _ = try Trace(Array(text.utf8))
      Issue.record("it was taken")
    } catch {
      #expect(error.description.contains(words))
    }
  }
}

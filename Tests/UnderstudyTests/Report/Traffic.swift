import Contract
import JSON

@testable import Faults
@testable import Primitives
@testable import Report
@testable import Understudy

/// A client's history as a list of observations, with a clock that the script moves.
struct Traffic {
  private(set) var observations: [Observation] = []
  /// The script's time.
  var now = Duration.seconds(1)
  /// The time during which the sandbox is offline.
  var outage: ClosedRange<Duration>?

  /// The offline time so far.
  private var timeOffline: Duration {
    guard let outage else { return .zero }
    return max(.zero, min(now, outage.upperBound) - outage.lowerBound)
  }

  /// The observation after which the state was replaced.
  private var replacement: Int?

  /// Replaces the whole state, like restoring a snapshot; at most once in a traffic.
  mutating func replaceState() { replacement = observations.count }

  mutating func wait(_ duration: Duration) { now += duration }

  /// Adds an exchange that begins now, and moves the clock to its end.
  ///
  /// - Returns: The observation's index in the list.
  @discardableResult
  mutating func exchange(
    _ method: String = "GET", _ target: String = "/devices", client: UInt64 = 7, took: Duration = .milliseconds(20),
    _ change: (inout Observation) -> Void = { _ in }
  ) -> Int {
    var seen = Observation.answered
    seen.client = client
    seen.method = method
    seen.target = Array(target.utf8)[...]
    seen.api = Self.apis.first { target.hasPrefix($0.prefix) }?.api
    seen.pathHash = UInt64(seen.api ?? 255).mixed(with: Observation.hash(target))
    seen.query = Observation.hash(target)
    seen.isWrite = method != "GET"
    if ["/devices", "/activities", "/rooms.json"].contains(target) { seen.intent = Intent(.reads, record: nil) }
    if method == "PATCH" { seen.intent = Intent(.sets, record: seen.pathHash, meaning: seen.pathHash) }
    seen.arrival = MonotonicInstant(nanoseconds: 0) + now
    seen.end = seen.arrival + took
    seen.entry.total = NanosecondDuration(took)
    seen.entry.measured = NanosecondDuration(took)
    now += took
    seen.entry.timeOffline = NanosecondDuration(timeOffline)
    change(&seen)
    seen.identify()
    observations.append(seen)
    return observations.count - 1
  }

  private static let apis = [("/devices", 0), ("/activities", 1), ("/api", 2), ("/book", 4), ("/rooms.json", 4)]
    .map { (prefix: $0.0, api: $0.1) }

  /// An exchange whose response has a status.
  mutating func answered(
    _ status: Int, _ method: String = "GET", _ target: String = "/devices", client: UInt64 = 7,
    retryAfter: Duration? = nil, _ change: (inout Observation) -> Void = { _ in }
  ) {
    exchange(method, target, client: client) { seen in
      seen.status = status
      seen.retryAfter = retryAfter
      change(&seen)
    }
  }

  /// An exchange whose response is lost.
  mutating func lost(
    _ method: String = "GET", _ target: String = "/devices", client: UInt64 = 7,
    _ change: (inout Observation) -> Void = { _ in }
  ) {
    exchange(method, target, client: client) { seen in
      seen.status = nil
      seen.outcome = .reset
      seen.planned = Plan(seen.planned.position, Fault(.ending(.reset), phase: .after, rule: "lost", changes: true))
      seen.planned.change { $0.rules = ["lost"] }
      change(&seen)
    }
  }

  /// A request for the weather with a known tag.
  mutating func weather() {
    answered(200, "GET", "/api/location/2165352/") { seen in
      seen.operation = .named("getLocationWeather")
      seen.tag = 1
      seen.namedTags = [1]
    }
  }

  /// Returns the findings, which must not depend on the order in which exchanges are reported. They are numbered in the order
  /// of their arrival.
  ///
  /// - Parameter isInOrder: True if they are reported in that order, too, and not in the order of their ends.
  func findings(
    rules: [String] = [], isFinal: Bool = true, isReset: Bool = false, isOffline: Bool = false, isInOrder: Bool = false
  ) -> [String: Finding] {
    var checks = JudgedTraffic()
    checks.record(.armed(rules: rules.map { ArmedRule($0) }))
    for id in 1..<observations.count + 1 { checks.begin(id) }
    for seen in isInOrder ? ordered.sorted(by: { $0.id < $1.id }) : ordered {
      checks.observe(seen)
      if seen.id == replacement { checks.record(.replaced) }
    }
    let advanced = observations.map(\.advanced.upperBound).max() ?? .zero
    let context = CheckContext(
      now: MonotonicInstant(nanoseconds: 0) + now, timeOffline: timeOffline, advanced: advanced, isOffline: isOffline,
      isFinal: isFinal,
      isReset: isReset)
    return Dictionary(uniqueKeysWithValues: checks.findings(context).map { ($0.id, $0.finding) })
  }

  private var ordered: [Observation] {
    let arrivals = observations.indices.sorted { observations[$0].arrival < observations[$1].arrival }
    var numbered = observations
    for (number, place) in arrivals.enumerated() { numbered[place].id = number + 1 }
    return numbered.sorted { $0.end == $1.end ? $0.id < $1.id : $0.end < $1.end }
  }

  /// The checks that warn or fail, with their verdicts.
  func complaints(rules: [String] = []) -> [String: Verdict] {
    findings(rules: rules).filter { $0.value.verdict > .pass }.mapValues(\.verdict)
  }
}

extension Contract.Operation {
  /// An operation of the five APIs.
  static func named(_ id: String) -> Contract.Operation? { API.all.flatMap(\.operations).first { $0.id == id } }
}

extension Purpose {
  /// The purpose of a booking.
  static func booking(_ room: String) -> Purpose { .takes(from: Subject.Record("booking", room)) }
}

extension CheckRunner {
  /// The ids of all checks in the order of the card.
  static let ids = all.map { type(of: $0).id }
}

extension ReportCard {
  func count(_ verdict: Verdict) -> Int { checks.count { $0.verdict == verdict } }
}

import Contract
import Faults
import HTTP1
import Primitives

/// The state of a sandbox's armed scenario: its start, the progress of each stream, and the counters of its rules.
///
/// Another scenario, another seed or a reset creates a new value, so that everything restarts.
final class ScenarioState {
  let armed: ArmedScenario
  /// True if no rule can apply.
  let isEmpty: Bool
  /// The sandbox's time at which the scenario was armed.
  let since: Instant
  private(set) var progress: ScenarioProgress
  private var lastPreferences: PreferenceField?

  /// Further streams are not recorded: each of their requests counts as the first.
  static let maximumStreams = 65_536
  /// Above this number for all streams together, a stream's rules are searched for each request.
  static let maximumRuleIndices = 1 << 20
  /// A longer `Prefer` is parsed for each request.
  static let maximumPreferenceBytes = 256

  convenience init(_ scenario: Scenario, seed: UInt64, at now: Instant) {
    self.init(ArmedScenario(scenario, seed: seed), at: now)
  }

  init(_ armed: ArmedScenario, at now: Instant) {
    self.armed = armed
    isEmpty = armed.isEmpty
    progress = ScenarioProgress(counters: ScenarioCounters(armed))
    since = now
  }

  var scenario: Scenario { armed.scenario }
  var seed: UInt64 { armed.seed }

  /// The maximum number of older states that the scenario may use.
  var depth: Int { armed.depth }

  /// Counts a request of a stream, and returns its ordinal.
  func count(_ stream: RequestKey) -> Int {
    progress.streams.countRequest(of: stream.hash) ?? progress.add(stream, of: armed)
  }

  /// Returns the number of counted requests of a stream.
  func count(of stream: RequestKey) -> Int { progress.streams.count(of: stream.hash) }

  /// - Parameter earlier: The plan by the faults by hand, if one applies.
  func plan(for context: RequestContext, after earlier: Plan? = nil, header: (String) -> String?) -> Plan {
    progress.plan(for: context, after: earlier, of: armed, header: header)
  }

  /// Counts a request that gets another plan than the scenario's.
  func count(_ context: RequestContext, header: (String) -> String?) {
    progress.count(context, of: armed, header: header)
  }

  /// Returns the parsed `Prefer` of a request. Clients mostly repeat it, and parsing it costs as much as the rest of a
  /// request.
  ///
  /// - Parameter changes: True if the request is a write.
  func preferences(in request: borrowing Request, changes: Bool) -> PreferenceField {
    if let last = lastPreferences, last.changes == changes, let value = request.only(.prefer),
      request.bytes.span.holds(last.text, at: value)
    {
      return last
    }
    let field = PreferenceField(request.combined(.prefer) ?? "", changes: changes, seed: seed)
    lastPreferences = field.text.count <= Self.maximumPreferenceBytes ? field : nil
    return field
  }

  /// Returns the actions of rivals that are due, independent of requests.
  func rivals(at now: Instant) -> [Rivals.Move] {
    armed.rivals(upTo: elapsed(at: now), state: &progress.counters)
  }

  func elapsed(at now: Instant) -> Duration { max(.zero, now - since) }

  /// The same time as `elapsed(at:)`, without 128-bit arithmetic.
  func nanoseconds(at now: Instant) -> NanosecondDuration {
    let (time, isOverflow) = now.nanoseconds.subtractingReportingOverflow(since.nanoseconds)
    return NanosecondDuration(nanoseconds: now < since ? 0 : isOverflow ? .max : time)
  }
}

/// The counts of a scenario's requests, and the counters of its rules.
struct ScenarioProgress {
  var counters: ScenarioCounters
  var streams = StreamTable()
  /// The number of rule indices stored for all streams.
  var ruleIndexCount = 0

  /// Adds a stream, if there is room for it, and returns the ordinal of its first request.
  mutating func add(_ stream: RequestKey, of armed: ArmedScenario) -> Int {
    if streams.count < ScenarioState.maximumStreams {
      streams.add(stream.hash, rules: knownRules(about: stream, of: armed))
    }
    return 1
  }

  private mutating func knownRules(about stream: RequestKey, of armed: ArmedScenario) -> [Int]? {
    let rules = armed.rules(about: stream)
    guard ruleIndexCount + rules.count <= ScenarioState.maximumRuleIndices else { return nil }
    ruleIndexCount += rules.count
    return rules
  }

  mutating func count(_ context: RequestContext, of armed: ArmedScenario, header: (String) -> String?) {
    armed.count(context, among: streams.rules(of: context.stream.hash), state: &counters, header: header)
  }

  mutating func plan(
    for context: RequestContext, after earlier: Plan?, of armed: ArmedScenario, header: (String) -> String?
  ) -> Plan {
    armed.plan(
      for: context, among: streams.rules(of: context.stream.hash), after: earlier, state: &counters, header: header)
  }
}

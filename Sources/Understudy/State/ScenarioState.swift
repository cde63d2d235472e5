import Contract
import Faults

/// The state of a sandbox's armed scenario: its start, the progress of each stream, and the counters of its rules.
///
/// Another scenario, another seed or a reset creates a new value, so that everything restarts.
final class ScenarioState {
  let armed: ArmedScenario
  /// The sandbox's time at which the scenario was armed.
  let since: Instant
  private var state: ScenarioCounters
  /// The streams by the hash that seeds their decisions; the path itself may be long and is not stored.
  private var streams: [UInt64: Known] = [:]
  /// The number of rule indices stored for all streams.
  private(set) var ruleIndexCount = 0

  /// The state of a stream.
  private struct Known {
    var count = 0
    /// The indices of the stream's rules; nil if they are searched for each request.
    let rules: [Int]?

    mutating func countRequest() -> Int {
      count += 1
      return count
    }
  }

  /// Further streams are not recorded: each of their requests counts as the first.
  static let maximumStreams = 65_536
  /// Above this number for all streams together, a stream's rules are searched for each request.
  static let maximumRuleIndices = 1 << 20

  convenience init(_ scenario: Scenario, seed: UInt64, at now: Instant) {
    self.init(ArmedScenario(scenario, seed: seed), at: now)
  }

  init(_ armed: ArmedScenario, at now: Instant) {
    self.armed = armed
    state = ScenarioCounters(armed)
    since = now
  }

  var scenario: Scenario { armed.scenario }
  var seed: UInt64 { armed.seed }

  /// The maximum number of older states that the scenario may use.
  var depth: Int { armed.depth }

  /// Counts a request of a stream, and returns its ordinal.
  func count(_ stream: RequestKey) -> Int {
    guard let position = streams.index(forKey: stream.hash) else {
      if streams.count < Self.maximumStreams {
        streams[stream.hash] = Known(count: 1, rules: knownRules(about: stream))
      }
      return 1
    }
    return streams.values[position].countRequest()
  }

  private func knownRules(about stream: RequestKey) -> [Int]? {
    let rules = armed.rules(about: stream)
    guard ruleIndexCount + rules.count <= Self.maximumRuleIndices else { return nil }
    ruleIndexCount += rules.count
    return rules
  }

  /// Returns the number of counted requests of a stream.
  func count(of stream: RequestKey) -> Int { streams[stream.hash]?.count ?? 0 }

  func plan(for context: RequestContext, header: (String) -> String?) -> Plan {
    armed.plan(for: context, among: streams[context.stream.hash]?.rules, state: &state, header: header)
  }

  /// Returns the actions of rivals that are due, independent of requests.
  func rivals(at now: Instant) -> [Rivals.Move] {
    armed.rivals(upTo: elapsed(at: now), state: &state)
  }

  func elapsed(at now: Instant) -> Duration { max(.zero, now - since) }
}

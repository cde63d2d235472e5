import Contract
import Faults

/// A scenario at work in a sandbox: since when, how far each stream has come, and what its rules remember.
///
/// Another scenario, another seed or a reset is another value of this, and so everything starts anew.
struct Arming: Sendable {
  let armed: ArmedScenario
  /// The sandbox's time at which it was armed.
  let since: Instant
  private var state: ArmedState
  private var streams: [Stream: Known] = [:]

  /// What is kept of a stream.
  private struct Known {
    var count = 0
    /// The rules about it.
    let rules: [Int]
  }

  /// Streams beyond so many are not told apart from new ones: each of their requests is the first.
  static let mostStreams = 65_536

  init(_ scenario: Scenario, seed: UInt64, at now: Instant) {
    armed = ArmedScenario(scenario, seed: seed)
    state = ArmedState(armed)
    since = now
  }

  var scenario: Scenario { armed.scenario }
  var seed: UInt64 { armed.seed }

  /// How many older states the scenario may ask for.
  var depth: Int {
    scenario.rules.reduce(0) { deepest, rule in
      if case .stale(let stale) = rule.effect { max(deepest, stale.versions) } else { deepest }
    }
  }

  /// Counts one more request of a stream.
  mutating func count(_ stream: Stream) -> Int {
    guard let place = streams.index(forKey: stream) else {
      if streams.count < Self.mostStreams { streams[stream] = Known(count: 1, rules: armed.rules(about: stream)) }
      return 1
    }
    streams.values[place].count += 1
    return streams.values[place].count
  }

  /// How many requests of a stream were counted.
  func count(of stream: Stream) -> Int { streams[stream]?.count ?? 0 }

  mutating func plan(for facts: Facts, header: (String) -> String?) -> Plan {
    armed.plan(for: facts, among: streams[facts.stream]?.rules, state: &state, header: header)
  }

  /// The moves of rivals that are due, whether or not a request asks.
  mutating func rivals(at now: Instant) -> [Rivals.Move] {
    armed.rivals(upTo: elapsed(at: now), state: &state)
  }

  func elapsed(at now: Instant) -> Duration { max(.zero, now - since) }
}

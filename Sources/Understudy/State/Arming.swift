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
  /// By the hash that decides their fates: the path itself, which may be long, is not kept.
  private var streams: [UInt64: Known] = [:]
  /// How many places of rules are kept, all streams taken together.
  private(set) var placeCount = 0

  /// What is kept of a stream.
  private struct Known {
    var count = 0
    /// The places of the rules about it; nil where they are looked for each time.
    let rules: [Int]?
  }

  /// Streams beyond so many are not told apart from new ones: each of their requests is the first.
  static let mostStreams = 65_536
  /// Rules about streams beyond so many, all streams taken together, are looked for anew with each request.
  static let mostPlaces = 1 << 20

  init(_ scenario: Scenario, seed: UInt64, at now: Instant) {
    self.init(ArmedScenario(scenario, seed: seed), at: now)
  }

  init(_ armed: ArmedScenario, at now: Instant) {
    self.armed = armed
    state = ArmedState(armed)
    since = now
  }

  var scenario: Scenario { armed.scenario }
  var seed: UInt64 { armed.seed }

  /// How many older states the scenario may ask for.
  var depth: Int { armed.depth }

  /// Counts one more request of a stream.
  mutating func count(_ stream: Stream) -> Int {
    guard let place = streams.index(forKey: stream.hash) else {
      if streams.count < Self.mostStreams { streams[stream.hash] = Known(count: 1, rules: knownRules(about: stream)) }
      return 1
    }
    streams.values[place].count += 1
    return streams.values[place].count
  }

  private mutating func knownRules(about stream: Stream) -> [Int]? {
    let rules = armed.rules(about: stream)
    guard placeCount + rules.count <= Self.mostPlaces else { return nil }
    placeCount += rules.count
    return rules
  }

  /// How many requests of a stream were counted.
  func count(of stream: Stream) -> Int { streams[stream.hash]?.count ?? 0 }

  mutating func plan(for facts: Facts, header: (String) -> String?) -> Plan {
    armed.plan(for: facts, among: streams[facts.stream.hash]?.rules, state: &state, header: header)
  }

  /// The moves of rivals that are due, whether or not a request asks.
  mutating func rivals(at now: Instant) -> [Rivals.Move] {
    armed.rivals(upTo: elapsed(at: now), state: &state)
  }

  func elapsed(at now: Instant) -> Duration { max(.zero, now - since) }
}

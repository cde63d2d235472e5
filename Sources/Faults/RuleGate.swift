import JSON
import Primitives

/// The conditions of a rule that depend only on numbers: the request's position and the hash.
///
/// Most rules do not apply to a request, and a hundred may be armed: a gate contains no references, so that evaluating
/// it costs only a few comparisons.
struct RuleGate: Sendable {
  private let hash: SeededHash
  private let chance: Ratio?
  private let ordinals: OrdinalWindow
  private let changes: Bool?
  private let namesOptions: Bool
  /// True if the rule has conditions on header fields.
  let hasHeaderConditions: Bool
  let isOfRivals: Bool
  /// True if the rule's ordinals are those of all requests that it matches.
  let countsByRule: Bool

  init(_ rule: CompiledRule) {
    let (when, match) = (rule.when, rule.rule.match)
    hash = rule.hash
    chance = when.chance
    ordinals = OrdinalWindow(when)
    changes = match.changes
    namesOptions = match.methods.contains("OPTIONS")
    hasHeaderConditions = !match.headers.isEmpty
    isOfRivals = rule.rivals != nil
    countsByRule = when.countsByRule
  }

  /// Returns true if a rule that matches the stream may apply to this request.
  func concerns(_ request: borrowing RequestContext) -> Bool {
    if request.isPreflight, !namesOptions { return false }
    return changes == nil || changes == request.changes
  }

  /// Returns the hash of a request if the rule's ordinals and its chance choose it.
  ///
  /// - Parameter n: The request's ordinal; nil for a request that is not counted.
  func chosen(_ request: borrowing RequestContext, _ n: Int?) -> SeededHash? {
    ordinals.contains(n) ? drawn(request) : nil
  }

  /// Returns the hash of a request if the rule's chance chooses it.
  func drawn(_ request: borrowing RequestContext) -> SeededHash? {
    let hash = hash.folding(request.stream.hash).folding(request.position)
    return chance?.holds(hash.draw(.chance)) ?? true ? hash : nil
  }
}

/// The requests of a stream to which a rule applies.
struct OrdinalWindow: Sendable {
  private let isBounded: Bool
  private let first: Int
  private let last: Int
  private let step: Int

  init(_ when: Trigger) {
    isBounded = when.isOrdinal
    first = when.requests?.lower ?? 0
    last = min(when.first ?? .max, when.requests?.upper ?? .max)
    step = when.nth ?? 1
  }

  /// Returns true if the window includes a position.
  ///
  /// - Parameter n: Nil for a `Fault-Key`: it is not counted, so no window of ordinals includes it.
  func contains(_ n: Int?) -> Bool {
    guard isBounded else { return true }
    guard let n else { return false }
    return n >= first && n <= last && (step == 1 || n % step == 0)
  }
}

/// The window of time in which a rule applies, as time since the scenario was armed.
///
/// It is apart from the gate, so that the windows of a hundred rules are a few consecutive bytes.
struct TimeWindow: Sendable {
  private let period: Int64
  private let first: Int64
  private let last: Int64

  init(_ when: Trigger) {
    period = when.every?.nanoseconds ?? .max
    first = when.from?.nanoseconds ?? 0
    last = when.until.map { $0.nanoseconds - 1 } ?? .max
  }

  /// Returns true if the window is open.
  ///
  /// - Parameter elapsed: The time since the scenario was armed, in nanoseconds.
  func contains(_ elapsed: Int64) -> Bool {
    let time = period == .max ? elapsed : elapsed % period
    return time >= first && time <= last
  }
}

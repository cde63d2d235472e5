import Primitives

/// The contents of a plan, to which the effects of rules are added in the scenario's order.
package struct PlanDraft: Sendable, Equatable {
  let position: Ordinal
  /// The delay before the handler runs.
  var delayBefore = NanosecondDuration.zero
  /// The delay after the state change, before the response's first byte.
  var delayAfter = NanosecondDuration.zero
  /// The part of `delayBefore` in which the backend wakes up.
  var coldStart = NanosecondDuration.zero
  var fault: Fault?
  var pace: Pace?
  /// The client's quota under each limit that counted the request, for the fields of the response.
  var quotas: [RateLimit.QuotaStatus] = []
  /// The rivals' actions that must be done before the request is performed.
  var rivals: [Rivals.Move] = []
  /// The identities of the rules that applied.
  var rules: [String] = []
  /// The change that the fault made in the response's body, for people; nil before the response, and for other faults.
  var change: String?

  init(_ position: Ordinal) { self.position = position }

  /// True if there is a fault; to compare it with nil would copy it.
  var hasFault: Bool { if case .some = fault { true } else { false } }

  /// True if the exchange is not as without a plan.
  var hasEffect: Bool {
    hasFault || delayBefore != .zero || delayAfter != .zero || pace != nil || !quotas.isEmpty || !rivals.isEmpty
  }

  /// Sets the fault if there is none: the first one wins, and later ones are not named.
  mutating func decide(_ action: FaultAction, _ ruleMatch: RuleMatch) {
    guard fault == nil else { return }
    fault = Fault(
      action, phase: ruleMatch.phase, rule: ruleMatch.rule, changes: ruleMatch.changes, draw: ruleMatch.draw(.damage))
    record(ruleMatch)
  }

  mutating func record(_ ruleMatch: RuleMatch) {
    guard !ruleMatch.rule.isEmpty, rules.last != ruleMatch.rule else { return }
    rules.append(ruleMatch.rule)
  }

  /// Adds a delay on one side of the state change.
  mutating func add(_ delay: NanosecondDuration, _ phase: Phase) {
    switch phase {
    case .before: delayBefore = delayBefore + delay
    case .after: delayAfter = delayAfter + delay
    }
  }

  /// Adds the actions of rivals.
  mutating func add(_ moves: [Rivals.Move]) {
    rivals += moves
    for move in moves where rules.last != move.rule { rules.append(move.rule) }
  }
}

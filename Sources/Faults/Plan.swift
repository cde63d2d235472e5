import Primitives

/// All faults of one exchange, decided before its first byte is written.
///
/// It has three parts, one for each kind of reader: that for the message, that for its delivery, and a summary for
/// people and reports. Besides, it names the rivals' actions that precede the request.
package struct Plan: Sendable, Equatable {
  package let position: Ordinal
  /// The faults, as the one element of an array; nil if there are none. They are stored separately, because most plans
  /// are empty, and are copied often.
  private var faults: [Contents]?

  package init(_ position: Ordinal) { self.position = position }

  /// Creates a plan with one fault.
  package init(_ position: Ordinal, _ fault: Fault) {
    self.position = position
    self.fault = fault
  }

  /// A plan without faults.
  package static let none = Plan(.ordinal(1))

  /// Returns the plan of a request during an outage: it does not reach the backend, so it is not counted.
  ///
  /// - Parameters:
  ///   - isSilent: True if its connection stays open without a response, instead of being reset.
  ///   - changes: True if the request is a write.
  package static func outage(isSilent: Bool, changes: Bool) -> Plan {
    Plan(.ordinal(0), Fault(.ending(isSilent ? .hang(Hold()) : .offline), changes: changes))
  }

  /// True if it is the plan of a request during an outage.
  package var isOutage: Bool { position == .ordinal(0) }

  package var isEmpty: Bool { faults?[0].hasEffect != true }

  package var message: MessagePlan { MessagePlan(faults) }
  package var delivery: DeliveryPlan { DeliveryPlan(faults) }
  package var summary: PlanSummary { PlanSummary(self) }

  /// Returns the plan with a further delay before the handler runs, as requested in the query.
  package func delayed(by milliseconds: Int) -> Plan {
    var plan = self
    plan.add(NanosecondDuration(min(.milliseconds(milliseconds), .maximumDelay)), .before)
    return plan
  }

  /// Sets the fault if there is none: the first one wins, and later ones are not named.
  mutating func decide(_ action: FaultAction, _ ruleMatch: RuleMatch) {
    guard fault == nil else { return }
    fault = Fault(
      action, phase: ruleMatch.phase, rule: ruleMatch.rule, changes: ruleMatch.changes, draw: ruleMatch.draw(.damage))
    record(ruleMatch)
  }

  mutating func record(_ ruleMatch: RuleMatch) {
    guard !ruleMatch.rule.isEmpty else { return }
    change { faults in
      if faults.rules.isEmpty { return faults.rules = [ruleMatch.rule] }
      if faults.rules.last != ruleMatch.rule { faults.rules.append(ruleMatch.rule) }
    }
  }

  /// Adds a delay on one side of the state change.
  mutating func add(_ delay: NanosecondDuration, _ phase: Phase) {
    switch phase {
    case .before: change { $0.delayBefore = $0.delayBefore + delay }
    case .after: change { $0.delayAfter = $0.delayAfter + delay }
    }
  }

  private mutating func change(_ body: (inout Contents) -> Void) {
    var changed = faults.take() ?? [Contents()]
    body(&changed[0])
    changed[0].classify()
    faults = changed
  }
}

/// The members that the effects of rules set.
extension Plan {
  /// The delay before the handler runs.
  var delayBefore: Duration {
    get { faults?[0].delayBefore.duration ?? .zero }
    set { change { $0.delayBefore = NanosecondDuration(newValue) } }
  }

  /// The delay after the state change, before the response's first byte.
  var delayAfter: Duration {
    get { faults?[0].delayAfter.duration ?? .zero }
    set { change { $0.delayAfter = NanosecondDuration(newValue) } }
  }

  /// The part of `delayBefore` in which the backend wakes up.
  var coldStart: Duration {
    get { faults?[0].coldStart.duration ?? .zero }
    set { change { $0.coldStart = NanosecondDuration(newValue) } }
  }

  /// True if it has a fault; most plans only delay the response.
  var hasFault: Bool { faults?[0].hasFault == true }

  var fault: Fault? {
    get { hasFault ? faults?[0].fault : nil }
    set { change { $0.fault = newValue } }
  }

  var pace: Pace? {
    get { faults?[0].pace }
    set { change { $0.pace = newValue } }
  }

  /// The client's quota under each limit that counted the request, for the fields of the response.
  var quotas: [RateLimit.QuotaStatus] {
    get { faults?[0].quotas ?? [] }
    set { change { $0.quotas = newValue } }
  }

  /// The rivals' actions that must be done before the request is performed.
  package internal(set) var rivals: [Rivals.Move] {
    get { faults?[0].rivals ?? [] }
    set { change { $0.rivals = newValue } }
  }

  /// True if rules applied, even without an effect on the exchange.
  package var hasRules: Bool { faults?[0].rules.isEmpty == false }

  /// The identities of the rules that applied, in the scenario's order.
  var rules: [String] {
    get { faults?[0].rules ?? [] }
    set { change { $0.rules = newValue } }
  }
}

extension Plan {
  /// The faults of a plan, as its three values share them.
  struct Contents: Sendable, Equatable {
    var delayBefore = NanosecondDuration.zero
    var delayAfter = NanosecondDuration.zero
    var coldStart = NanosecondDuration.zero
    var fault: Fault?
    var pace: Pace?
    var quotas: [RateLimit.QuotaStatus] = []
    var rivals: [Rivals.Move] = []
    var rules: [String] = []

    /// True if there is a fault, and if there is any effect on the exchange: most readers ask only this.
    private(set) var hasFault = false
    private(set) var hasEffect = false

    mutating func classify() {
      if case .some = fault { hasFault = true } else { hasFault = false }
      hasEffect =
        hasFault || delayBefore != .zero || delayAfter != .zero || pace != nil || !quotas.isEmpty || !rivals.isEmpty
    }
  }

  /// The delays before and after the state change, and the part of the former in which the backend wakes up.
  var delays: (before: NanosecondDuration, after: NanosecondDuration, coldStart: NanosecondDuration) {
    guard let faults else { return (.zero, .zero, .zero) }
    return (faults[0].delayBefore, faults[0].delayAfter, faults[0].coldStart)
  }

  package static func == (left: Plan, right: Plan) -> Bool {
    left.position == right.position && (left.faults?[0] ?? Contents()) == (right.faults?[0] ?? Contents())
  }
}

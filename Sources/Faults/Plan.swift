/// All faults of one exchange, decided before its first byte is written.
///
/// It has three parts, one for each kind of reader: that for the message, that for its delivery, and a summary for
/// people and reports. Besides, it names the rivals' actions that precede the request.
package struct Plan: Sendable, Equatable {
  package let position: Ordinal
  /// True if it depends on the clock or on earlier requests, so that another run may have another plan.
  package var isTimed = false
  /// The faults; nil if there are none. They are stored separately, because most plans are empty, and are copied often.
  private var shared: Shared?

  package init(_ position: Ordinal) { self.position = position }

  /// Creates a plan with one fault.
  package init(_ position: Ordinal, _ fault: Fault) {
    self.position = position
    self.fault = fault
  }

  /// A plan without faults.
  package static let none = Plan(.ordinal(1))

  package var isEmpty: Bool { shared?.faults.isEmpty ?? true }

  package var message: MessagePlan { MessagePlan(shared) }
  package var delivery: DeliveryPlan { DeliveryPlan(shared) }
  package var summary: PlanSummary { PlanSummary(self) }

  /// The rivals' actions that must be done before the request is performed.
  package internal(set) var rivals: [Rivals.Move] {
    get { shared?.faults.rivals ?? [] }
    set { faults.rivals = newValue }
  }

  /// Sets the fault if there is none: the first one wins, and later ones are not named.
  mutating func decide(_ action: FaultAction, _ ruleMatch: RuleMatch) {
    guard fault == nil else { return }
    fault = Fault(
      action, phase: ruleMatch.phase, rule: ruleMatch.rule, changes: ruleMatch.changes, draw: ruleMatch.draw(.damage))
    record(ruleMatch)
  }

  mutating func record(_ ruleMatch: RuleMatch) {
    if rules.last != ruleMatch.rule, !ruleMatch.rule.isEmpty { rules.append(ruleMatch.rule) }
  }
}

/// The members that the effects of rules set.
extension Plan {
  /// The delay before the handler runs.
  var delayBefore: Duration {
    get { shared?.faults.delayBefore ?? .zero }
    set { faults.delayBefore = newValue }
  }

  /// The delay after the state change, before the response's first byte.
  var delayAfter: Duration {
    get { shared?.faults.delayAfter ?? .zero }
    set { faults.delayAfter = newValue }
  }

  /// The part of `delayBefore` in which the backend wakes up.
  var coldStart: Duration {
    get { shared?.faults.coldStart ?? .zero }
    set { faults.coldStart = newValue }
  }

  var fault: Fault? {
    get { shared?.faults.fault }
    set { faults.fault = newValue }
  }

  var pace: Pace? {
    get { shared?.faults.pace }
    set { faults.pace = newValue }
  }

  /// The client's quota under each limit that counted the request, for the fields of the response.
  var quotas: [RateLimit.QuotaStatus] {
    get { shared?.faults.quotas ?? [] }
    set { faults.quotas = newValue }
  }

  /// The identities of the rules that applied, in the scenario's order.
  var rules: [String] {
    get { shared?.faults.rules ?? [] }
    set { faults.rules = newValue }
  }
}

extension Plan {
  /// The faults of a plan, as its three values share them.
  final class Shared: Sendable {
    let faults: Contents

    init(_ faults: Contents) { self.faults = faults }
  }

  struct Contents: Sendable, Equatable {
    var delayBefore: Duration = .zero
    var delayAfter: Duration = .zero
    var coldStart: Duration = .zero
    var fault: Fault?
    var pace: Pace?
    var quotas: [RateLimit.QuotaStatus] = []
    var rivals: [Rivals.Move] = []
    var rules: [String] = []

    /// True if the plan has no effect on the exchange.
    var isEmpty: Bool {
      delayBefore == .zero && delayAfter == .zero && fault == nil && pace == nil && quotas.isEmpty && rivals.isEmpty
    }
  }

  private var faults: Contents {
    get { shared?.faults ?? Contents() }
    set { shared = Shared(newValue) }
  }

  package static func == (left: Plan, right: Plan) -> Bool {
    left.position == right.position && left.isTimed == right.isTimed && left.faults == right.faults
  }
}

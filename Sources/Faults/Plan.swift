import Primitives

/// All faults of one exchange, decided before its first byte is written. It never changes.
///
/// It has three parts, one for each kind of reader: that for the message, that for its delivery, and a summary for
/// people and reports. Besides, it names the rivals' actions that precede the request.
package struct Plan: Sendable, Equatable {
  package let position: Ordinal
  /// Nil if no rule applied: most plans are empty, and are copied often.
  private let parts: Parts?

  /// The parts of a plan, made once, and shared by its copies.
  private final class Parts: Sendable {
    let draft: PlanDraft
    let hasEffect: Bool
    let message: MessagePlan
    let delivery: DeliveryPlan

    init(_ draft: PlanDraft) {
      self.draft = draft
      hasEffect = draft.hasEffect
      message = MessagePlan(draft)
      delivery = DeliveryPlan(draft)
    }
  }

  /// Creates an empty plan.
  package init(_ position: Ordinal) {
    self.position = position
    parts = nil
  }

  init(_ draft: PlanDraft) {
    position = draft.position
    parts = draft.hasEffect || !draft.rules.isEmpty ? Parts(draft) : nil
  }

  /// Creates a plan with one fault.
  package init(_ position: Ordinal, _ fault: Fault) {
    var draft = PlanDraft(position)
    draft.fault = fault
    self.init(draft)
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

  /// Returns the plan with a further delay before the handler runs, as requested in the query.
  package func delayed(by milliseconds: Int) -> Plan {
    var draft = draft
    draft.add(NanosecondDuration(min(.milliseconds(milliseconds), .maximumDelay)), .before)
    return Plan(draft)
  }

  /// True if it is the plan of a request during an outage.
  package var isOutage: Bool { position == .ordinal(0) }

  package var isEmpty: Bool { parts?.hasEffect != true }

  package var message: MessagePlan { parts?.message ?? .none }
  package var delivery: DeliveryPlan { parts?.delivery ?? .none }
  package var summary: PlanSummary { PlanSummary(self) }

  /// The rivals' actions that must be done before the request is performed.
  package var rivals: [Rivals.Move] { parts?.draft.rivals ?? [] }

  /// True if rules applied, even without an effect on the exchange.
  package var hasRules: Bool { parts?.draft.rules.isEmpty == false }

  package static func == (left: Plan, right: Plan) -> Bool {
    left.position == right.position && (left.parts === right.parts || left.draft == right.draft)
  }
}

extension Plan {
  var draft: PlanDraft { parts?.draft ?? PlanDraft(position) }

  /// True if it has a fault; most plans only delay the response.
  var hasFault: Bool { parts?.draft.fault != nil }

  var fault: Fault? { parts?.draft.fault }

  var pace: Pace? { parts?.draft.pace }

  /// The identities of the rules that applied, in the scenario's order.
  var rules: [String] { parts?.draft.rules ?? [] }

  var delayBefore: Duration { delays.before.duration }

  var delayAfter: Duration { delays.after.duration }

  /// The delays before and after the state change, and the part of the former in which the backend wakes up.
  var delays: (before: NanosecondDuration, after: NanosecondDuration, coldStart: NanosecondDuration) {
    guard let draft = parts?.draft else { return (.zero, .zero, .zero) }
    return (draft.delayBefore, draft.delayAfter, draft.coldStart)
  }
}

import Primitives

/// All faults of one exchange, decided before its first byte is written, and the rivals' actions that precede the request.
///
/// Its decisions never change. The record of the exchange adds to it what the fault changed in the response's body.
package struct Plan: Sendable, Equatable {
  package let position: Ordinal
  /// Nil if no rule applied. Plans are copied often, and a copy shares this.
  let contents: Contents?

  /// The contents of a plan, shared by its copies.
  final class Contents: Sendable {
    let draft: PlanDraft
    /// Most readers ask only this.
    let hasFault: Bool
    let hasEffect: Bool
    let waits: Waits

    /// The fault; to ask a plan without one for it costs no copy.
    var fault: Fault? { hasFault ? draft.fault : nil }

    fileprivate init(_ draft: consuming PlanDraft) {
      hasFault = draft.hasFault
      hasEffect = draft.hasEffect
      waits = Waits(draft)
      self.draft = draft
    }
  }

  /// Creates an empty plan.
  package init(_ position: Ordinal) {
    self.position = position
    contents = nil
  }

  init(_ draft: consuming PlanDraft) {
    position = draft.position
    contents = draft.hasEffect || !draft.rules.isEmpty ? Contents(draft) : nil
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

  /// Returns the plan with the change that its fault made in the response's body, for people.
  package func noting(change: String) -> Plan {
    var draft = draft
    draft.change = change
    return Plan(draft)
  }

  /// True if it is the plan of a request during an outage.
  package var isOutage: Bool { position == .ordinal(0) }

  package var isEmpty: Bool { contents?.hasEffect != true }

  /// The rivals' actions that must be done before the request is performed.
  package var rivals: [Rivals.Move] { contents?.draft.rivals ?? [] }

  /// True if rules applied, even without an effect on the exchange.
  package var hasRules: Bool { contents?.draft.rules.isEmpty == false }

  /// True if it has a fault, so that the response may not be the API's: a delay is none.
  package var hasFault: Bool { contents?.hasFault == true }

  /// The fault in the outcome, if there is one.
  package var fault: Fault? { contents?.fault }

  /// The identities of the rules that applied, in the scenario's order.
  package var rules: [String] { contents?.draft.rules ?? [] }

  package static func == (left: Plan, right: Plan) -> Bool {
    left.position == right.position && (left.contents === right.contents || left.draft == right.draft)
  }
}

extension Plan {
  var draft: PlanDraft { contents?.draft ?? PlanDraft(position) }

  var delayBefore: Duration { delays.before.duration }

  /// The delay after the state change.
  package var delayAfter: Duration { delays.after.duration }

  /// The delays before and after the state change, and the part of the former in which the backend wakes up.
  var delays: (before: NanosecondDuration, after: NanosecondDuration, coldStart: NanosecondDuration) {
    guard let contents else { return (.zero, .zero, .zero) }
    return (contents.draft.delayBefore, contents.draft.delayAfter, contents.draft.coldStart)
  }
}

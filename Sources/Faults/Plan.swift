import JSON

/// All faults of one exchange, decided before its first byte is written.
package struct Plan: Sendable, Equatable {
  package let position: Ordinal
  /// The delay before the handler runs.
  package var delayBefore: Duration = .zero
  /// The delay after the state change, before the response's first byte.
  package var delayAfter: Duration = .zero
  /// The part of `delayBefore` in which the backend wakes up.
  package var coldStart: Duration = .zero
  private var trouble: PlanDetails?
  /// True if it depends on the clock or on earlier requests, so that another run may have another plan.
  package var isTimed = false

  package init(_ position: Ordinal) { self.position = position }

  /// A plan without faults.
  package static let none = Plan(.ordinal(1))

  package var isEmpty: Bool { delayBefore == .zero && delayAfter == .zero && (trouble?.contents.isEmpty ?? true) }

  package var fault: Fault? {
    get { trouble?.contents.fault }
    set { contents.fault = newValue }
  }

  package var pace: Pace? {
    get { trouble?.contents.pace }
    set { contents.pace = newValue }
  }

  /// The client's quota under each limit that counted the request, for the fields of the response.
  package var quotas: [RateLimit.QuotaStatus] {
    get { trouble?.contents.quotas ?? [] }
    set { contents.quotas = newValue }
  }

  /// The rivals' actions that must be done before the request is performed.
  package var rivals: [Rivals.Move] {
    get { trouble?.contents.rivals ?? [] }
    set { contents.rivals = newValue }
  }

  /// The identities of the rules that applied, in the scenario's order.
  package var rules: [String] {
    get { trouble?.contents.rules ?? [] }
    set { contents.rules = newValue }
  }

  package var delay: Duration { delayBefore + delayAfter }

  /// The phase of the fault; `before` if there is none.
  package var phase: Phase { fault?.phase ?? .before }

  /// A response instead of the API's, for the responder.
  package var status: StatusResponse? { if case .status(let response) = fault?.action { response } else { nil } }
  /// A fault in the message, for the responder.
  package var damage: BodyFault? { if case .damage(let damage) = fault?.action { damage } else { nil } }
  /// A fault in the bytes, for the delivery.
  package var ending: TransportFault? { if case .ending(let ending) = fault?.action { ending } else { nil } }

  /// The value of `RateLimit` (draft-ietf-httpapi-ratelimit-headers-10), if a limit counted the request.
  package var rateLimitField: String? {
    quotas.isEmpty ? nil : quotas.map(\.field).joined(separator: ", ")
  }

  /// The value of `RateLimit-Policy`.
  package var rateLimitPolicyField: String? {
    quotas.isEmpty ? nil : quotas.map(\.policyField).joined(separator: ", ")
  }

  /// Sets the fault if there is none: the first one wins, and later ones are not named.
  mutating func settle(_ action: FaultAction, _ ruleMatch: RuleMatch) {
    guard fault == nil else { return }
    fault = Fault(
      action, phase: ruleMatch.phase, rule: ruleMatch.rule, changes: ruleMatch.changes, draw: ruleMatch.draw(.damage))
    note(ruleMatch)
  }

  mutating func note(_ ruleMatch: RuleMatch) {
    if rules.last != ruleMatch.rule, !ruleMatch.rule.isEmpty { rules.append(ruleMatch.rule) }
  }
}

extension Plan {
  /// The details that most plans do not have. They are stored separately, so that copying an empty plan copies only a
  /// few numbers.
  private final class PlanDetails: Sendable {
    let contents: Contents

    init(_ contents: Contents) { self.contents = contents }
  }

  private struct Contents: Sendable, Equatable {
    var fault: Fault?
    var pace: Pace?
    var quotas: [RateLimit.QuotaStatus] = []
    var rivals: [Rivals.Move] = []
    var rules: [String] = []

    var isEmpty: Bool { fault == nil && pace == nil && quotas.isEmpty && rivals.isEmpty }
  }

  private var contents: Contents {
    get { trouble?.contents ?? Contents() }
    set { trouble = PlanDetails(newValue) }
  }

  package static func == (left: Plan, right: Plan) -> Bool {
    left.position == right.position && left.delayBefore == right.delayBefore && left.delayAfter == right.delayAfter
      && left.coldStart == right.coldStart && left.isTimed == right.isTimed && left.contents == right.contents
  }
}

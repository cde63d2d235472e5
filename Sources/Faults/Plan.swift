import JSON

/// All faults of one exchange, decided before its first byte is written.
package struct Plan: Sendable, Equatable {
  package let position: Ordinal
  /// The effects of the plan; nil if there are none.
  private var details: Details?

  package init(_ position: Ordinal) { self.position = position }

  /// A plan without faults.
  package static let none = Plan(.ordinal(1))

  package var isEmpty: Bool { details?.contents.isEmpty ?? true }

  /// The delay before the handler runs.
  package var delayBefore: Duration {
    get { details?.contents.delayBefore ?? .zero }
    set { contents.delayBefore = newValue }
  }

  /// The delay after the state change, before the response's first byte.
  package var delayAfter: Duration {
    get { details?.contents.delayAfter ?? .zero }
    set { contents.delayAfter = newValue }
  }

  /// The part of `delayBefore` in which the backend wakes up.
  package var coldStart: Duration {
    get { details?.contents.coldStart ?? .zero }
    set { contents.coldStart = newValue }
  }

  /// True if it depends on the clock or on earlier requests, so that another run may have another plan.
  package var isTimed = false

  package var fault: Fault? {
    get { details?.contents.fault }
    set { contents.fault = newValue }
  }

  package var pace: Pace? {
    get { details?.contents.pace }
    set { contents.pace = newValue }
  }

  /// The client's quota under each limit that counted the request, for the fields of the response.
  package var quotas: [RateLimit.QuotaStatus] {
    get { details?.contents.quotas ?? [] }
    set { contents.quotas = newValue }
  }

  /// The rivals' actions that must be done before the request is performed.
  package var rivals: [Rivals.Move] {
    get { details?.contents.rivals ?? [] }
    set { contents.rivals = newValue }
  }

  /// The identities of the rules that applied, in the scenario's order.
  package var rules: [String] {
    get { details?.contents.rules ?? [] }
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

extension Plan {
  /// The details that most plans do not have, stored separately: most plans are empty, and are copied often.
  private final class Details: Sendable {
    let contents: Contents

    init(_ contents: Contents) { self.contents = contents }
  }

  private struct Contents: Sendable, Equatable {
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

  private var contents: Contents {
    get { details?.contents ?? Contents() }
    set { details = Details(newValue) }
  }

  package static func == (left: Plan, right: Plan) -> Bool {
    left.position == right.position && left.isTimed == right.isTimed && left.contents == right.contents
  }
}

extension Plan {
  /// True if a stream is possible under this plan: there is no pace, and no fault except one after a number of events.
  package var allowsStream: Bool { pace == nil && (fault == nil || ending?.eventLimit != nil) }
}

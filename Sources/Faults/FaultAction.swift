package import JSON

/// The fault in the outcome of an exchange.
///
/// `status` and `damage` change the message, and `ending` its bytes and their times.
package enum FaultAction: Sendable, Equatable {
  case status(StatusResponse)
  case damage(BodyFault)
  case ending(TransportFault)
}

/// A response instead of the API's.
package struct StatusResponse: Sendable, Equatable {
  package let status: Int
  package let retryAfter: Duration?
  /// True if `Retry-After` is written as a date, relative to the `Date` of the same response.
  package let isRetryAfterDate: Bool
  /// The body to send, or nil for a problem document.
  package let body: JSONValue?
  /// The problem's `type`, if one is registered for this case.
  package let problemType: String?
  /// The exceeded quota policies, for `violated-policies` (draft-ietf-httpapi-ratelimit-headers).
  package let violatedPolicies: [String]

  package init(
    status: Int, retryAfter: Duration? = nil, isRetryAfterDate: Bool = false, body: JSONValue? = nil,
    problemType: String? = nil, violatedPolicies: [String] = []
  ) {
    self.status = status
    self.retryAfter = retryAfter
    self.isRetryAfterDate = isRetryAfterDate
    self.body = body
    self.problemType = problemType
    self.violatedPolicies = violatedPolicies
  }
}

/// The fault of one exchange, with its rule and phase.
package struct Fault: Sendable, Equatable {
  package let action: FaultAction
  package let phase: Phase
  /// The rule's identity.
  package let rule: String
  /// True if the request is a write as its client sees it; otherwise the phases are equivalent.
  package let changes: Bool
  /// The pseudo-random bits for garbage, corruption and drift.
  let draw: UInt64

  package init(_ action: FaultAction, phase: Phase = .before, rule: String = "", changes: Bool, draw: UInt64 = 0) {
    self.action = action
    self.phase = phase
    self.rule = rule
    self.changes = changes
    self.draw = draw
  }
}

extension FaultAction {
  package var kind: Effect.Kind {
    switch self {
    case .status: Status.kind
    case .damage(let damage): damage.kind
    case .ending(let ending): ending.kind
    }
  }

  /// True if its damage depends on the seed.
  package var draws: Bool { [.corrupt, .drift, .garbage, .badChunk].contains(kind) }

  package var description: String {
    switch self {
    case .status(let response):
      response.retryAfter.map { "status \(response.status), retry after \(DurationText.text($0))" }
        ?? "status \(response.status)"
    case .damage(let damage): damage.description
    case .ending(let ending): ending.description
    }
  }

  /// The name without parameters, except that of a status.
  var name: String {
    if case .status(let response) = self { "status \(response.status)" } else { kind.name }
  }

  /// The value of `"fault"` in a plan, if it has one.
  package var faultName: String? {
    if case .status = self { nil } else { kind.name }
  }

  /// The part of the body after which it takes effect.
  package var at: Ratio? {
    if case .ending(let ending) = self { ending.at } else { nil }
  }
}

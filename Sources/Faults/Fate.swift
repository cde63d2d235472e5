package import JSON

/// How an exchange comes out other than well.
///
/// The responder carries out `status` and `damage`, which change the message; the transmission carries out `ending`,
/// which changes its bytes and their time.
package enum Fate: Sendable, Equatable {
  case status(StatusReply)
  case damage(Damage)
  case ending(Ending)
}

/// A reply in place of the one that the API would have given.
package struct StatusReply: Sendable, Equatable {
  package let status: Int
  package let retryAfter: Duration?
  /// Whether `Retry-After` is written as a date, counted from the `Date` of the same reply.
  package let isRetryAfterDate: Bool
  /// The body to send, or nil for a problem document.
  package let body: JSON?
  /// The problem's `type`, where one is registered for what happened.
  package let problemType: String?
  /// The quota policies that were exceeded, for `violated-policies` (draft-ietf-httpapi-ratelimit-headers).
  package let violatedPolicies: [String]

  package init(
    status: Int, retryAfter: Duration? = nil, isRetryAfterDate: Bool = false, body: JSON? = nil,
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

/// The fate of one exchange, and who decided it when.
package struct Fault: Sendable, Equatable {
  package let fate: Fate
  package let phase: Phase
  /// The rule's identity.
  package let rule: String
  /// True if the request is a write as its client sees it; where it is none, the phases are alike.
  package let changes: Bool
  /// What garbage, corruption and drift are drawn from.
  package let draw: UInt64

  package init(_ fate: Fate, phase: Phase = .before, rule: String = "", changes: Bool, draw: UInt64 = 0) {
    self.fate = fate
    self.phase = phase
    self.rule = rule
    self.changes = changes
    self.draw = draw
  }
}

extension Fate {
  package var kind: Effect.Kind {
    switch self {
    case .status: Status.kind
    case .damage(let damage): damage.kind
    case .ending(let ending): ending.kind
    }
  }

  package var words: String {
    switch self {
    case .status(let reply):
      reply.retryAfter.map { "status \(reply.status), retry after \(DurationText.text($0))" }
        ?? "status \(reply.status)"
    case .damage(let damage): damage.words
    case .ending(let ending): ending.words
    }
  }

  /// Its word for `"fault"` in a plan, where it has one.
  package var faultName: String? {
    if case .status = self { nil } else { kind.name }
  }

  /// Whether it can hit a reply with a body of so many bytes, which may be sent chunked or not (to HTTP/1.0, for HEAD,
  /// with 204 and 304); what cannot is journalled as not deliverable.
  ///
  /// Whether a body is JSON that can drift, and whether there is an older state, only the responder knows.
  package func isDeliverable(bodyBytes: Int, isChunkable: Bool) -> Bool {
    switch kind.needs {
    case .nothing: true
    case .body: bodyBytes > 0
    case .chunks: isChunkable
    }
  }

  /// The part of the body after which it hits.
  package var at: Ratio? {
    if case .ending(let ending) = self { ending.at } else { nil }
  }
}

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

/// Harm to the message: it arrives whole, and is not what the API promises.
package enum Damage: Sendable, Equatable {
  case corrupt
  case drift
  case wrongType
  case captivePortal
  case stale(versions: Int)
}

/// Harm to the bytes: they do not arrive as HTTP says they should.
package enum Ending: Sendable, Equatable {
  /// RST after the status line.
  case reset
  /// RST before any byte.
  case resetBare
  /// FIN before any byte.
  case empty
  case hang(Hold)
  case stall(at: Ratio, Hold)
  case truncate(at: Ratio)
  case badChunk
  case garbage
  /// RST as soon as the sandbox is known.
  case offline
}

/// How long nothing is sent, and what comes then.
package struct Hold: Sendable, Equatable {
  /// Nil until the peer gives up.
  package let duration: Duration?
  package let then: Then

  package init(for duration: Duration? = nil, then: Then = .goOn) {
    self.duration = duration
    self.then = then
  }

  package enum Then: String, Sendable, CaseIterable {
    case goOn, reset, close
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
    case .status: .status
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
    kind == .status ? nil : kind.rawValue
  }

  /// Whether it can hit a reply with a body of so many bytes, which may be sent chunked or not (to HTTP/1.0, for HEAD,
  /// with 204 and 304); what cannot is journalled as not deliverable.
  ///
  /// Whether a body is JSON that can drift, and whether there is an older state, only the responder knows.
  package func isDeliverable(bodyBytes: Int, isChunkable: Bool) -> Bool {
    switch self {
    case .ending(.truncate), .ending(.stall), .damage(.corrupt), .damage(.drift), .damage(.wrongType): bodyBytes > 0
    case .ending(.badChunk): isChunkable
    case .ending(.reset), .ending(.resetBare), .ending(.empty), .ending(.hang), .ending(.garbage), .ending(.offline),
      .damage(.captivePortal), .damage(.stale), .status:
      true
    }
  }

  /// The part of the body after which it hits.
  package var at: Ratio? {
    switch self {
    case .ending(.stall(let at, _)), .ending(.truncate(let at)): at
    default: nil
    }
  }
}

extension Damage {
  package var isStale: Bool { kind == .stale }

  var kind: Effect.Kind {
    switch self {
    case .corrupt: .corrupt
    case .drift: .drift
    case .wrongType: .wrongType
    case .captivePortal: .captivePortal
    case .stale: .stale
    }
  }

  var words: String {
    if case .stale(let versions) = self { "stale by \(versions)" } else { kind.rawValue }
  }
}

extension Ending {
  var kind: Effect.Kind {
    switch self {
    case .reset: .reset
    case .resetBare: .resetBare
    case .empty: .empty
    case .hang: .hang
    case .stall: .stall
    case .truncate: .truncate
    case .badChunk: .badChunk
    case .garbage: .garbage
    case .offline: .offline
    }
  }

  var words: String {
    switch self {
    case .hang(let hold): "hang" + hold.words
    case .stall(let at, let hold): "stall at \(at.text)" + hold.words
    case .truncate(let at): "truncate at \(at.text)"
    default: kind.rawValue
    }
  }
}

extension Hold {
  var words: String {
    guard let duration else { return "" }
    let end = then == .goOn ? "" : ", then \(then.rawValue)"
    return " for \(DurationText.text(duration))" + end
  }
}

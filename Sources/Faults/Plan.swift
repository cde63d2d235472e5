import JSON

/// Everything that will go wrong with one exchange, decided before its first byte is written.
package struct Plan: Sendable, Equatable {
  package let position: Position
  /// Waited before the state is touched.
  package var delayBefore: Duration = .zero
  /// Waited after the state changed, before the reply's first byte.
  package var delayAfter: Duration = .zero
  /// The part of `delayBefore` in which the backend wakes.
  package var coldStart: Duration = .zero
  private var trouble: Trouble?
  /// Whether it depends on the clock or on what came before, so that another run may plan otherwise.
  package var isTimed = false

  package init(_ position: Position) { self.position = position }

  /// Nothing goes wrong.
  package static let none = Plan(.ordinal(1))

  package var isCalm: Bool { delayBefore == .zero && delayAfter == .zero && (trouble?.contents.isCalm ?? true) }

  package var fault: Fault? {
    get { trouble?.contents.fault }
    set { contents.fault = newValue }
  }

  package var pace: Pace? {
    get { trouble?.contents.pace }
    set { contents.pace = newValue }
  }

  /// Where the client stands with each limit that counted the request, for the fields of the reply.
  package var standings: [RateLimit.Standing] {
    get { trouble?.contents.standings ?? [] }
    set { contents.standings = newValue }
  }

  /// What rivals must have done before the request is looked at.
  package var rivals: [Rivals.Move] {
    get { trouble?.contents.rivals ?? [] }
    set { contents.rivals = newValue }
  }

  /// The identities of the rules that bit, in the scenario's order.
  package var rules: [String] {
    get { trouble?.contents.rules ?? [] }
    set { contents.rules = newValue }
  }

  package var delay: Duration { delayBefore + delayAfter }

  /// The phase of the fault; `before` where there is none.
  package var phase: Phase { fault?.phase ?? .before }

  /// A reply in place of the API's, for the responder.
  package var status: StatusReply? { if case .status(let reply) = fault?.fate { reply } else { nil } }
  /// Harm to the message, for the responder.
  package var damage: Damage? { if case .damage(let damage) = fault?.fate { damage } else { nil } }
  /// Harm to the bytes, for the transmission.
  package var ending: Ending? { if case .ending(let ending) = fault?.fate { ending } else { nil } }

  /// The value of `RateLimit` (draft-ietf-httpapi-ratelimit-headers-10), when a limit counted the request.
  package var rateLimitField: String? {
    standings.isEmpty ? nil : standings.map(\.field).joined(separator: ", ")
  }

  /// The value of `RateLimit-Policy`.
  package var rateLimitPolicyField: String? {
    standings.isEmpty ? nil : standings.map(\.policyField).joined(separator: ", ")
  }

  /// The first fate wins: what comes later bites in vain, and is not named.
  mutating func settle(_ fate: Fate, _ bite: Bite) {
    guard fault == nil else { return }
    fault = Fault(
      fate, phase: bite.phase, rule: bite.rule, changes: bite.changes, draw: bite.draw(.damage))
    note(bite)
  }

  mutating func note(_ bite: Bite) {
    if rules.last != bite.rule, !bite.rule.isEmpty { rules.append(bite.rule) }
  }
}

extension Plan {
  /// What most plans have nothing of. It is kept apart, so that to pass a calm plan on copies a few numbers.
  private final class Trouble: Sendable {
    let contents: Contents

    init(_ contents: Contents) { self.contents = contents }
  }

  private struct Contents: Sendable, Equatable {
    var fault: Fault?
    var pace: Pace?
    var standings: [RateLimit.Standing] = []
    var rivals: [Rivals.Move] = []
    var rules: [String] = []

    var isCalm: Bool { fault == nil && pace == nil && standings.isEmpty && rivals.isEmpty }
  }

  private var contents: Contents {
    get { trouble?.contents ?? Contents() }
    set { trouble = Trouble(newValue) }
  }

  package static func == (left: Plan, right: Plan) -> Bool {
    left.position == right.position && left.delayBefore == right.delayBefore && left.delayAfter == right.delayAfter
      && left.coldStart == right.coldStart && left.isTimed == right.isTimed && left.contents == right.contents
  }
}

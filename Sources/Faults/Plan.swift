import JSON

/// All faults of one exchange, decided before its first byte is written.
package struct Plan: Sendable, Equatable {
  package let position: Position
  /// The delay before the handler runs.
  package var delayBefore: Duration = .zero
  /// The delay after the state change, before the response's first byte.
  package var delayAfter: Duration = .zero
  /// The part of `delayBefore` in which the backend wakes up.
  package var coldStart: Duration = .zero
  private var trouble: Trouble?
  /// True if it depends on the clock or on earlier requests, so that another run may have another plan.
  package var isTimed = false

  package init(_ position: Position) { self.position = position }

  /// A plan without faults.
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

  /// The client's quota under each limit that counted the request, for the fields of the response.
  package var standings: [RateLimit.Standing] {
    get { trouble?.contents.standings ?? [] }
    set { contents.standings = newValue }
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
  package var status: StatusReply? { if case .status(let reply) = fault?.fate { reply } else { nil } }
  /// A fault in the message, for the responder.
  package var damage: Damage? { if case .damage(let damage) = fault?.fate { damage } else { nil } }
  /// A fault in the bytes, for the delivery.
  package var ending: Ending? { if case .ending(let ending) = fault?.fate { ending } else { nil } }

  /// The value of `RateLimit` (draft-ietf-httpapi-ratelimit-headers-10), if a limit counted the request.
  package var rateLimitField: String? {
    standings.isEmpty ? nil : standings.map(\.field).joined(separator: ", ")
  }

  /// The value of `RateLimit-Policy`.
  package var rateLimitPolicyField: String? {
    standings.isEmpty ? nil : standings.map(\.policyField).joined(separator: ", ")
  }

  /// Sets the fault if there is none: the first one wins, and later ones are not named.
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
  /// The details that most plans do not have. They are stored separately, so that copying an empty plan copies only a
  /// few numbers.
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

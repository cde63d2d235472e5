import Primitives

/// Rules as Swift values.
extension Rule {
  /// Creates a rule.
  ///
  /// - Parameters:
  ///   - effect: The fault or delay.
  ///   - name: The name in reports. The rule's pseudo-random decisions depend on it or, without a name, on the rule's
  ///     content.
  ///   - matches: The rule applies to requests that match all of these; without any, to every request.
  ///   - conditions: The conditions that must all hold; without any, the rule always applies.
  ///   - phase: The side of the state change on which the fault occurs.
  public init(
    _ effect: Effect, name: String? = nil, for matches: Match..., when conditions: Trigger..., phase: Phase = .before
  ) {
    self.init(
      name, match: matches.reduce(Match()) { $0.and($1) }, when: conditions.reduce(Trigger()) { $0.and($1) },
      phase: phase, effect: effect)
  }
}

extension Match {
  /// Matches writes from the client's point of view, even if the API does not store their data.
  public static let writes = Match(changes: true)
  /// Matches requests that are not writes.
  public static let reads = Match(changes: false)

  /// - Parameter glob: A path in which `*` matches any run of characters within a segment, and a segment `**` any
  ///   number of segments.
  public static func path(_ glob: String) -> Match { Match(path: PathGlob(glob) ?? PathGlob(invalid: glob)) }

  /// Matches requests for an operation to which a file of semantics gives a name that the glob matches.
  public static func operation(_ name: String) -> Match { Match(operation: Glob(name)) }

  /// Matches requests with a header field whose value matches a glob.
  public static func header(_ name: String, _ glob: String = "*") -> Match {
    Match(headers: [Header(name, Glob(glob))])
  }

  /// Returns a match of what both match; of members that both have, it has those of the other.
  package func and(_ other: Match) -> Match {
    Match(
      api: other.api ?? api, methods: other.methods.isEmpty ? methods : other.methods, path: other.path ?? path,
      operation: other.operation ?? operation, changes: other.changes ?? changes, headers: headers + other.headers)
  }
}

extension Trigger {
  /// Applies to a pseudo-random share of the requests, which depends on the seed: `.chance(1, in: 10)`.
  public static func chance(_ count: Int, in total: Int) -> Trigger { Trigger(chance: Ratio(count, of: total)) }

  /// Applies to the first requests of each method and path.
  public static func first(_ count: Int) -> Trigger { Trigger(first: count) }

  /// Applies to every nth request of each method and path.
  public static func nth(_ n: Int) -> Trigger { Trigger(nth: n) }

  /// Applies to a range of the requests of each method and path, counted from 1.
  public static func requests(_ range: ClosedRange<Int>) -> Trigger {
    Trigger(requests: Ordinals(lower: range.lowerBound, upper: range.upperBound))
  }

  /// Applies to all requests of each method and path from this one on, counted from 1.
  public static func requests(_ range: PartialRangeFrom<Int>) -> Trigger {
    Trigger(requests: Ordinals(lower: range.lowerBound, upper: nil))
  }

  /// Applies to requests within a window of time since the scenario was set, by the sandbox's clock.
  ///
  /// - Parameters:
  ///   - start: The time at which the window opens.
  ///   - end: The time at which it closes; nil if it stays open.
  ///   - period: The period with which the window repeats; nil if it does not.
  public static func window(
    from start: Duration = .zero, until end: Duration? = nil, every period: Duration? = nil
  ) -> Trigger {
    Trigger(from: start, until: end, every: period)
  }

  package func and(_ other: Trigger) -> Trigger {
    Trigger(
      chance: other.chance ?? chance, first: other.first ?? first, nth: other.nth ?? nth,
      requests: other.requests ?? requests, per: other.per == .path ? per : other.per, from: other.from ?? from,
      until: other.until ?? until, every: other.every ?? every)
  }
}

package import JSON

/// Other users take and return spots: at a fixed interval a number of them act.
///
/// They act by the sandbox's clock, independent of requests. So a rule's ordinals and its chance apply to their actions
/// rather than to requests, and its `match` only selects the requests before which due actions must be done.
package struct Rivals: EffectBody {
  package static let kind = Effect.Kind(
    "rivals", value: rivals.member.shape,
    Effect.Kind.Page(
      "Other clients take and free spots meanwhile, at a fixed interval.",
      wire: "Nothing of its own: the rooms' free spots change, two of three moves taking one.",
      limit: "They come by the sandbox's clock, whether or not a request is sent. `when` counts and draws their moves; "
        + "`match` says which requests must find the moves done that are due. At most 500 moves happen at once.",
      example: #"{"rivals": {"every": "2s", "books": 1}}"#),
    whyOnlyBefore: "rivals come by themselves, whatever a request does", dependence: .time
  ) { reader throws(ValidationError) in
    let members = try reader.object(rivals)
    return Rivals(every: try members.value(every), books: try members.value(books))
  }
  private static let rivals = Key.object(
    "rivals", [every.member, books.member], "The interval and the number of moves.", isRequired: true,
    example: #"{"every": "2s", "books": 1}"#)
  private static let every = Key.duration(
    "every", in: .milliseconds(10) ... .longestSchedule, "The interval.", isRequired: true)
  private static let books = Key.integer("books", in: 1...100, "The number of moves per interval.", fallback: 1)
  /// Two actions in three take a spot and one returns one: so rooms fill up, but sometimes a spot becomes free.
  static let takes = Ratio.twoThirds
  /// The maximum number of actions at once, of all rules together. When the clock jumps by days, the newest of the
  /// backlog are applied and the others are skipped.
  package static let maximumAtOnce = 500

  package let every: Duration
  package let books: Int

  package init(every: Duration, books: Int) {
    self.every = every
    self.books = books
  }

  package var kind: Effect.Kind { Self.kind }
  package var words: String { "rivals, \(books) every \(DurationText.text(every))" }
  package var value: JSONValue { ["every": .duration(every), "books": .int(books)] }

  package func add(to plan: inout Plan, _ ruleMatch: RuleMatch, _ memory: inout RuleCounters) {
    plan.note(ruleMatch)
  }

  /// One spot taken or returned.
  package struct Move: Sendable, Equatable {
    package let rule: String
    /// The time of the action since the scenario was armed.
    package let at: Duration
    package let takes: Bool
    /// The value that selects the room.
    package let draw: UInt64
  }

  /// Returns the number of their visits by `elapsed`.
  func visits(by elapsed: Duration) -> Int { Int(clamping: elapsed.nanoseconds / every.nanoseconds) }

  /// Appends the actions of the visits that became due after `start` and after the last one in `memory`, up to
  /// `elapsed`, while there are fewer than `maximumAtOnce`.
  func appendMoves(
    of rule: CompiledRule, after start: Duration, upTo elapsed: Duration, _ memory: inout RuleCounters,
    to moves: inout [Move]
  ) {
    let due = visits(by: elapsed)
    let done = max(memory.count, visits(by: start))
    guard due > done else { return }
    memory.count = due
    for visit in (done + 1)...due {
      let at = Duration.nanoseconds(every.nanoseconds * Int64(visit))
      let hash = rule.hash.folding(.ordinal(visit))
      guard rule.when.holds(.ordinal(visit)), rule.when.holds(at), rule.when.holds(hash.draw(.chance)) else { continue }
      for person in 0..<books {
        guard moves.count < Self.maximumAtOnce else { return }
        let own = hash.folding(UInt64(person))
        moves.append(
          Move(rule: rule.identity, at: at, takes: Self.takes.holds(own.draw(.rivals)), draw: own.draw(.damage)))
      }
    }
  }
}

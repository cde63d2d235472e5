package import JSON
import Primitives

/// Other users take and return spots: at a fixed interval a number of them act.
///
/// They act by the sandbox's clock, independent of requests. So a rule's ordinals and its chance apply to their actions
/// rather than to requests, and its `match` only selects the requests before which due actions must be done.
package struct Rivals: EffectBody {
  package static let kind = Effect.Kind(
    "rivals", value: rivals.member.shape,
    Effect.Kind.Page(
      "Other clients book and free spots at a fixed interval.",
      wire: "The numbers of free spots change without requests of its own: two of three moves book a spot, one frees "
        + "a spot.",
      limit: "The moves follow the sandbox's clock, with or without requests. `when` applies to the moves. All moves "
        + "that are due are done before a request that `match` selects. At most 500 moves happen at once.",
      example: #"{"rivals": {"every": "2s", "books": 1}}"#),
    onlyBeforeReason: "rivals act independently of requests", dependence: .time
  ) { reader throws(ValidationError) in
    let members = try reader.object(rivals)
    return Rivals(every: try members.value(every), books: try members.value(books))
  }
  private static let rivals = Key.object(
    "rivals", [every.member, books.member], "The interval and the number of moves.",
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

  package var kind: Effect.Kind { Self.kind }
  package var description: String { "rivals, \(books) every \(DurationText.text(every))" }
  package var draws: Bool { true }
  package var value: JSONValue { ["every": .duration(every), "books": .int(books)] }

  package func add(to plan: inout PlanDraft, _ ruleMatch: RuleMatch, _ counters: inout RuleCounters) {
    plan.record(ruleMatch)
  }

  /// One spot taken or returned.
  package struct Move: Sendable, Equatable {
    package let rule: String
    /// The time of the action since the scenario was armed.
    package let at: Duration
    package let takes: Bool
    /// The pseudo-random bits that select the room.
    package let draw: UInt64
  }

  /// Returns the number of intervals that have ended by `elapsed`.
  func visits(by elapsed: Duration) -> Int { Int(clamping: elapsed.nanoseconds / every.nanoseconds) }

  /// The actions of one rule that are due, as plain numbers: a bisection counts those of a thousand rules forty times.
  struct Backlog {
    /// The interval in nanoseconds.
    let every: Int64
    let books: Int
    /// The intervals whose actions are done, and those that have ended.
    let done: Int
    let due: Int

    /// Returns the number of actions that became due after a time in nanoseconds.
    func moves(after start: Int64) -> Int {
      let visits = due - max(done, Int(clamping: start / every))
      return max(0, min(visits, Int.max >> 32)) * books
    }
  }

  /// Returns the actions due by `elapsed` after `done` intervals; nil if there are none.
  func backlog(after done: Int, upTo elapsed: Duration) -> Backlog? {
    let due = visits(by: elapsed)
    return due > done ? Backlog(every: every.nanoseconds, books: books, done: done, due: due) : nil
  }

  /// Appends the actions that became due after `start` and after the last interval counted in `counters`, up to
  /// `elapsed`, as long as there are fewer than `maximumAtOnce`.
  func appendMoves(
    of rule: CompiledRule, after start: Duration, upTo elapsed: Duration, _ counters: inout RuleCounters,
    to moves: inout [Move]
  ) {
    let due = visits(by: elapsed)
    let done = max(counters.count, visits(by: start))
    guard due > done else { return }
    counters.count = due
    for visit in (done + 1)...due {
      let at = Duration.nanoseconds(every.nanoseconds * Int64(visit))
      let hash = rule.hash.folding(.ordinal(visit))
      guard rule.when.holds(.ordinal(visit)), rule.when.holds(at), rule.when.holds(hash.draw(.chance)) else { continue }
      for person in 0..<books {
        guard moves.count < Self.maximumAtOnce else { return }
        let actionHash = hash.folding(UInt64(person))
        moves.append(
          Move(
            rule: rule.identity, at: at, takes: Self.takes.holds(actionHash.draw(.rivals)),
            draw: actionHash.draw(.damage)))
      }
    }
  }
}

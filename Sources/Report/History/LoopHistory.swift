import Contract
import Primitives

/// The equal requests of each client that nothing paces: each came as soon as the one before it, or another response of the
/// client, was complete, and got the same answer at once.
///
/// A loop is a rate of method and path: another query does not end it, though it may be another question, nor do requests in
/// between, such as those for a new token. Answers that took their time, as those of long polls, or that differ, as those of
/// a queue, are no loop. Requests side by side are one turn: no response caused the others.
struct LoopHistory: Sendable {
  /// The number of turns that make a loop.
  static let length = 200
  /// A request that comes this soon after a response was caused by it.
  static let atOnce = NanosecondDuration.milliseconds(40)
  /// The longest time between two turns of one loop: that of the requests in between.
  private static let longestTurn = NanosecondDuration.milliseconds(250)
  /// An answer that takes as long as this was waited for.
  static let longAnswer = NanosecondDuration.milliseconds(500)
  /// A timer that is late once does not end a loop; it counts as many turns less.
  private static let lateTurn = 10

  private struct Row: Sendable {
    let query: UInt64
    let status: Int?
    let answer: UInt64?
    /// When the last of its responses was complete.
    var end: MonotonicInstant
    /// The first request of the last turn.
    var turn: Int
    /// When the first response of that turn was complete.
    var turnEnd: MonotonicInstant
    /// The number of turns.
    var count = 1
    /// The number of turns since another question was asked, which may have the same answer.
    var sameCount = 1
    /// The certainty that it is a loop: pauses and late timers make no other one of it.
    var certainty = Certainty.none
    /// The hash of the last turn's query that differed from the one before, without times and ids that are made anew; nil if
    /// there was none.
    var question: UInt64?

    init(_ seen: Observation) {
      (query, status, answer) = (seen.query, seen.status, seen.answer)
      (end, turn, turnEnd) = (seen.end, seen.id, seen.end)
    }

    /// True if a request got the same answer, as far as that is known.
    func isAnswered(like seen: Observation) -> Bool {
      guard status == seen.status, answer == seen.answer else { return false }
      // Nothing but its status is known of an answer without a tag, so another query may well have another answer.
      return query == seen.query || answer != nil || status.map { $0 >= 300 } ?? false
    }

    /// True if a turn asks another question than the one before it.
    mutating func asksAnew(after before: Row, _ seen: Observation) -> Bool {
      question = before.question
      guard query != before.query, seen.isQueryRead else { return false }
      question = Likeness.hash(of: Array(seen.target))
      return before.question.map { $0 != question } ?? false
    }
  }

  private enum Certainty: Int, Sendable {
    case none
    /// A loop, unless each of its turns asked a question of its own.
    case doubtful
    case certain
  }

  private var rows = RecentTable<Row>(capacity: 512)
  private var last: (key: UInt64, index: Int)?
  /// True if a client sent any request twice.
  private(set) var hasRepeated = false

  /// Adds a request.
  ///
  /// - Parameter idle: The time since its client's last response was complete.
  mutating func add(_ seen: Observation, hasFailed: Bool, idle: NanosecondDuration, _ facts: inout Facts) {
    // What failed for now is judged as a retry.
    guard seen.replayOf == nil, !seen.isStream, !hasFailed || seen.isRefused else { return }
    let key = Self.key(of: seen)
    guard let index = index(of: key) else {
      last = (key, rows.insert(Row(seen), for: key))
      return
    }
    hasRepeated = true
    var row = Row(seen)
    let before = rows.values[index]
    (row.end, row.certainty) = (max(row.end, before.end), before.certainty)
    if before.isAnswered(like: seen), NanosecondDuration(from: seen.arrival, to: seen.end) < Self.longAnswer {
      let isAnew = row.asksAnew(after: before, seen)
      if seen.arrival < before.turnEnd {
        (row.turn, row.turnEnd) = (before.turn, min(before.turnEnd, seen.end))
        (row.count, row.sameCount) = (before.count, before.sameCount)
      } else {
        let step = idle > Self.atOnce ? -Self.lateTurn : 1
        (row.count, row.sameCount) = (max(1, before.count + step), max(1, before.sameCount + step))
      }
      if isAnew { row.sameCount = 1 }
      let pause = NanosecondDuration(from: before.end, to: seen.arrival)
      if pause > Self.longestTurn { (row.count, row.sameCount) = (1, 1) }
    }
    let found: Certainty = row.sameCount >= Self.length ? .certain : row.count >= Self.length ? .doubtful : .none
    if found.rawValue > row.certainty.rawValue {
      row.certainty = found
      facts.previousTurn = before.turn
      facts.hasSeveralQuestions = found == .doubtful
    }
    rows.values[index] = row
  }

  private mutating func index(of key: UInt64) -> Int? {
    if let last, last.key == key { return last.index }
    let index = rows.index(of: key)
    if let index { last = (key, index) }
    return index
  }

  /// Reads are equal by method and path, writes by what they mean.
  private static func key(of seen: Observation) -> UInt64 {
    if seen.isWrite { return seen.identity.mixed(with: seen.key ?? 1) }
    let resource = seen.client.mixed(with: seen.pathHash)
    return seen.isGet ? resource : resource.mixed(with: Observation.hash(seen.method)).mixed(with: seen.body)
  }
}

extension Observation {
  /// False if the API is known to read no query, so that another query is no other question.
  fileprivate var isQueryRead: Bool {
    isOfUnknownAPI || operation?.documentation.parameters.contains { $0.location == .query } ?? false
  }
}

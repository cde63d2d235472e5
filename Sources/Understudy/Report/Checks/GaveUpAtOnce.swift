import Contract
import Faults

/// Checks that a write that was refused for now, or lost under a key that makes it safe to repeat, is tried again.
///
/// A client may leave that to its user, so it is a warning.
struct GaveUpAtOnce: Check {
  static let id = "gave-up-at-once"
  static let rank = 74
  /// At the end of a run nothing is held against a client that may have waited for its next try.
  static let patienceAtEnd = Duration.seconds(10)

  private var refused = UnknownOutcomes(.repetition)
  private var lost = UnknownOutcomes(.anyLook)

  mutating func observe(_ seen: Observation, _ trial: LogicalRequests.AttemptKind) {
    refused.observe(seen, isUnknown: seen.isWrite && seen.isRefusedForNow)
    lost.observe(seen, isUnknown: seen.isWrite && seen.result == .lost && seen.key != nil)
  }

  mutating func note(_ event: SandboxEvent) {
    refused.note(event)
    lost.note(event)
  }

  func finding(_ moment: CheckContext) -> Finding {
    let all = [refused, lost].map { $0.judged(at: moment, patienceAtEnd: Self.patienceAtEnd) }
    let forgotten = all.reduce(0) { $0 + $1.forgotten }
    let followed = all.reduce(0) { $0 + $1.followed }
    guard forgotten > 0 else {
      return followed > 0
        ? Finding(.pass, "\(Words.count(followed, "write")) that failed for now \(Words.were(followed)) tried again.")
        : Finding(.notExercised, "No write failed for now so long ago that it can be judged.")
    }
    var evidence = Evidence()
    for id in all.flatMap(\.evidence.ids) { evidence.add(id) }
    let example = all.first { $0.forgotten > 0 }?.example ?? ""
    return Finding(
      .warn,
      "\(Words.count(forgotten, "write")) that failed for now \(Words.were(forgotten)) never tried again: \(example). A "
        + "503 passes; under an Idempotency-Key a write is safe to repeat.", evidence)
  }
}

extension Observation {
  /// True if the client was told that its write was not done, and that it may be later.
  fileprivate var isRefusedForNow: Bool { !isApplied && (result == .unavailable(503) || result == .unavailable(429)) }
}

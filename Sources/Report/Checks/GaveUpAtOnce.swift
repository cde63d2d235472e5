import Contract
import Faults

/// Checks that a write that was refused for now, or lost under a key that makes it safe to repeat, is tried again.
///
/// A client may leave that to its user, so it is a warning.
struct GaveUpAtOnce: Check {
  static let id = "gave-up-at-once"
  /// At the end of a run nothing is held against a client that may have waited for its next try.
  static let patienceAtEnd = Duration.seconds(10)

  private var refused = UnknownOutcomes(.repetition)
  private var lost = UnknownOutcomes(.anyFollowUp)

  var interest: Traits { refused.interest.union(lost.interest) }

  mutating func observe(_ seen: Observation, _ role: LogicalRequests.Role) {
    refused.observe(seen, role, isUnknown: seen.isWrite && seen.isRefusedForNow)
    lost.observe(seen, role, isUnknown: seen.isWrite && seen.key != nil && seen.result == .lost)
  }

  mutating func record(_ event: SandboxEvent) {
    refused.record(event)
    lost.record(event)
  }

  func finding(_ context: CheckContext) -> Finding {
    let all = [refused, lost].map { $0.judged(at: context, patienceAtEnd: Self.patienceAtEnd) }
    let forgotten = all.reduce(0) { $0 + $1.forgotten }
    let followed = all.reduce(0) { $0 + $1.followed + $1.late }
    guard forgotten > 0 else {
      return followed > 0
        ? Finding(
          .pass,
          "\(ReportText.were(followed, "write")) tried again after a 429, a 503 or a "
            + "lost response."
        )
        : Finding(.notExercised, "No write got a 429, a 503 or no response long enough ago to be judged.")
    }
    var evidence = Evidence()
    for id in all.flatMap(\.evidence.ids) { evidence.add(id) }
    let example = all.first { $0.forgotten > 0 }?.example ?? ""
    return Finding(
      .warn,
      "\(ReportText.were(forgotten, "write")) never tried again after a 429, a 503 or "
        + "a lost response: \(example). Such failures are temporary: try again after Retry-After, with the same "
        + "Idempotency-Key.",
      evidence)
  }
}

extension Observation {
  /// True if the client was told that its write was not done, and that it may be later.
  fileprivate var isRefusedForNow: Bool { !isApplied && (result == .unavailable(503) || result == .unavailable(429)) }
}

import Contract
import Faults

/// Checks that a client that does not know the outcome of its write finds out: by sending it again, or by looking.
///
/// It cannot know where the response was lost, or where a gateway (502, 504) spoke in the place of a backend that had done
/// it. The end of the run is held against who has not tried at all.
struct LostReplyFollowedUp: Check {
  static let id = "lost-reply-followed-up"

  private var outcomes = UnknownOutcomes(.anyFollowUp)

  var interest: Traits { outcomes.interest }

  mutating func observe(_ seen: Observation, _ role: LogicalRequests.Role) {
    outcomes.observe(seen, role, isUnknown: seen.isWrite && seen.isLostOrHidden)
  }

  mutating func record(_ event: SandboxEvent) { outcomes.record(event) }

  func finding(_ context: CheckContext) -> Finding {
    let judged = outcomes.judged(at: context)
    if judged.forgotten > 0 {
      return Finding(
        .fail,
        "\(lostWrites(judged.forgotten)) neither "
          + "repeated nor checked by a read within 30 s: \(judged.example). Repeat the write under the same "
          + "Idempotency-Key, or read the record that it was to change.", judged.evidence)
    }
    if judged.polled > 0 {
      return Finding(
        .warn,
        "\(lostWrites(judged.polled)) followed by nothing "
          + "but a poll that was running before: \(judged.example). Repeat the write under the same Idempotency-Key, or read "
          + "the record at once.", judged.evidence)
    }
    if judged.late > 0 {
      return Finding(
        .warn,
        "\(lostWrites(judged.late)) repeated only after more "
          + "than 30 s: \(judged.lateExample). Until then the client does not know what became of it: repeat it sooner, or "
          + "read the record.", judged.lateEvidence)
    }
    if judged.interrupted > 0 {
      return Finding(
        .warn,
        "\(lostWrites(judged.interrupted)) neither "
          + "repeated nor checked by a read before the sandbox was reset, less than 30 s later: \(judged.example). Repeat "
          + "the write under the same Idempotency-Key, or read the record, before the reset.", judged.evidence)
    }
    let rest = judged.unjudged > 0 ? " \(judged.unjudged) more were too many to be judged." : ""
    guard judged.followed > 0 else {
      return Finding(.notExercised, "No write lost its response long enough ago to be judged.\(rest)")
    }
    return Finding(
      .pass,
      "\(lostWrites(judged.followed)) repeated or checked by a read.\(rest)")
  }

  /// Returns the beginning of a sentence: `2 writes whose response was lost were`.
  private func lostWrites(_ count: Int) -> String {
    "\(ReportText.count(count, "write")) whose response was lost \(ReportText.were(count))"
  }
}

extension Observation {
  /// True if its response was lost, or if a gateway's failure hides that the backend had done it.
  fileprivate var isLostOrHidden: Bool {
    switch result {
    case .lost: true
    case .unavailable(502), .unavailable(504): isApplied
    default: false
    }
  }
}

import Contract
import Faults

/// Checks that a client that does not know the outcome of its write finds out: by sending it again, or by looking.
///
/// It cannot know where the response was lost, or where a gateway (502, 504) spoke in the place of a backend that had done
/// it. The end of the run is held against who has not tried at all.
struct LostReplyFollowedUp: Check {
  static let id = "lost-reply-followed-up"
  static let rank = 70

  private var outcomes = UnknownOutcomes(.anyLook)

  mutating func observe(_ seen: Observation, _ trial: LogicalRequests.AttemptKind) {
    outcomes.observe(seen, isUnknown: seen.isWrite && (seen.result == .lost || seen.isHiddenByGateway))
  }

  mutating func note(_ event: SandboxEvent) { outcomes.note(event) }

  func finding(_ moment: CheckContext) -> Finding {
    let judged = outcomes.judged(at: moment)
    if judged.forgotten > 0 {
      return Finding(
        .fail,
        "\(Words.count(judged.forgotten, "write")) whose response was lost \(Words.were(judged.forgotten)) neither "
          + "repeated nor looked after within 30 s: \(judged.example). Repeat it under the same Idempotency-Key, or read "
          + "what it was to change.", judged.evidence)
    }
    if judged.polled > 0 {
      return Finding(
        .warn,
        "\(Words.count(judged.polled, "write")) whose response was lost \(Words.were(judged.polled)) looked after by "
          + "nothing but a poll that ran anyway: \(judged.example).", judged.evidence)
    }
    if judged.interrupted > 0 {
      return Finding(
        .warn,
        "\(Words.count(judged.interrupted, "write")) whose response was lost had been neither repeated nor looked after "
          + "when the sandbox was reset, within 30 s: \(judged.example).", judged.evidence)
    }
    let rest = judged.unjudged > 0 ? " \(judged.unjudged) more were too many to be judged." : ""
    guard judged.followed > 0 else {
      return Finding(.notExercised, "No write lost its response so long ago that it can be judged.\(rest)")
    }
    return Finding(
      .pass,
      "\(Words.count(judged.followed, "write")) whose response was lost \(Words.were(judged.followed)) repeated or looked "
        + "after.\(rest)")
  }
}

extension Observation {
  /// True if a gateway's failure hides that the backend had done it.
  fileprivate var isHiddenByGateway: Bool { isApplied && (result == .unavailable(502) || result == .unavailable(504)) }
}

import Contract
import Faults

/// Checks that a response that is not the API's, such as a captive portal's page or a body that was cut, is not taken for a
/// success.
///
/// Two things prove it: a write that was never done and is neither repeated nor looked after, though what came back with
/// 2xx could not be read; and a tag in `If-None-Match` that only a broken response had carried.
struct DamagedReplyTrusted: Check {
  static let id = "damaged-reply-trusted"
  static let rank = 72

  private var outcomes = UnknownOutcomes(.anyLook)
  /// The tags of broken responses, by request.
  private var broken = RecentTable<UInt64, Int>(capacity: 512)
  private var kept = 0
  private var discarded = 0
  private var example = ""
  private var evidence = Evidence()

  mutating func observe(_ seen: Observation, _ trial: LogicalRequests.AttemptKind) {
    outcomes.observe(seen, isUnknown: seen.isWrite && !seen.isApplied && seen.isUnreadable)
    guard !seen.isWrite, seen.method == "GET" else { return }
    if broken.count > 0 {
      for tag in seen.namedTags {
        guard let id = broken[seen.identity.mixed(with: tag)], id > 0 else { continue }
        kept += 1
        if example.isEmpty { example = Words.request(seen) }
        evidence.add(id, seen.id)
      }
      if seen.result == .success, let tag = seen.tag, broken[seen.identity.mixed(with: tag)] != nil {
        discarded += 1
        broken[seen.identity.mixed(with: tag)] = 0
      }
    }
    guard seen.status == 200, seen.result == .lost || seen.isUnreadable, let tag = seen.tag,
      !seen.namedTags.contains(tag)
    else { return }
    broken[seen.identity.mixed(with: tag)] = seen.id
  }

  mutating func note(_ event: SandboxEvent) { outcomes.note(event) }

  func finding(_ moment: CheckContext) -> Finding {
    let judged = outcomes.judged(at: moment)
    var proof = evidence
    for id in judged.evidence.ids { proof.add(id) }
    if judged.forgotten > 0 {
      return Finding(
        .fail,
        "\(Words.count(judged.forgotten, "write")) that \(Words.were(judged.forgotten)) never done passed for a success: "
          + "\(judged.example) had a 2xx whose body is not the API's. Look at the body, or at its Content-Type, before a "
          + "success is believed.", proof)
    }
    if kept > 0 {
      return Finding(
        .fail,
        "\(Words.count(kept, "request")) named the entity tag of a broken response: \(example). A body that is cut or no "
          + "JSON must not be kept.", proof)
    }
    if judged.interrupted > 0 {
      return Finding(
        .warn,
        "\(Words.count(judged.interrupted, "write")) that \(Words.were(judged.interrupted)) never done, and whose 2xx had "
          + "a body that is not the API's, had been neither repeated nor looked after when the sandbox was reset: "
          + "\(judged.example).", proof)
    }
    guard judged.followed + discarded > 0 else {
      return Finding(.notExercised, "No broken response could pass for a success.")
    }
    return Finding(
      .pass,
      "\(Words.count(judged.followed + discarded, "broken response")) \(Words.were(judged.followed + discarded)) not trusted."
    )
  }
}

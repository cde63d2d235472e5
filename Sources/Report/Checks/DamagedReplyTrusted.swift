import Contract
import Faults

/// Checks that a response that is not the API's, such as a captive portal's page or a body that was cut, is not taken for a
/// success.
///
/// Two things prove it: a write that was never done and is neither repeated nor looked after, though what came back with
/// 2xx could not be read; and a tag in `If-None-Match` that only a broken response had carried.
struct DamagedReplyTrusted: Check {
  static let id = "damaged-reply-trusted"

  private var outcomes = UnknownOutcomes(.anyFollowUp)
  /// The tags of broken responses, by request.
  private var broken = RecentTable<Int>(capacity: 512)
  private var cached = 0
  private var discarded = 0
  private var example = ""
  private var evidence = Evidence()

  var interest: Traits { broken.count > 0 ? .any : outcomes.interest }

  mutating func observe(_ seen: Observation, _ role: LogicalRequests.Role) {
    outcomes.observe(seen, role, isUnknown: seen.isWrite && !seen.isApplied && seen.isUnreadable)
    guard !seen.isWrite, seen.method == "GET" else { return }
    if broken.count > 0 {
      for tag in seen.namedTags {
        guard let id = broken[seen.identity.mixed(with: tag)], id > 0 else { continue }
        cached += 1
        if example.isEmpty { example = ReportText.request(seen) }
        evidence.add(id, seen.id)
      }
      if seen.result == .success, let tag = seen.tag, broken[seen.identity.mixed(with: tag)] != nil {
        discarded += 1
        broken[seen.identity.mixed(with: tag)] = 0
      }
    }
    guard seen.status == 200, seen.result == .lost || seen.isUnreadable, let tag = seen.tag,
      !seen.namedTags.contains(tag), !role.isTagKnown
    else { return }
    broken[seen.identity.mixed(with: tag)] = seen.id
  }

  mutating func record(_ event: SandboxEvent) { outcomes.record(event) }

  func finding(_ context: CheckContext) -> Finding {
    let judged = outcomes.judged(at: context)
    var proof = evidence
    for id in judged.evidence.ids { proof.add(id) }
    if judged.forgotten > 0 {
      return Finding(
        .fail,
        "\(ReportText.were(judged.forgotten, "write")) not applied, and taken for a success: "
          + "\(judged.example) was answered with a 2xx whose body is not the API's. Check the Content-Type and decode the "
          + "body before you believe a 2xx.", proof)
    }
    if cached > 0 {
      return Finding(
        .fail,
        "\(ReportText.count(cached, "request")) sent the entity tag of a broken response as If-None-Match: \(example). Do not "
          + "cache a body that was cut or is not JSON.", proof)
    }
    if judged.interrupted > 0 {
      return Finding(
        .warn,
        "\(ReportText.were(judged.interrupted, "write")) not applied, answered with a 2xx "
          + "whose body is not the API's, and neither repeated nor checked by a read before the sandbox was reset: "
          + "\(judged.example). Check the Content-Type and decode the body before you believe a 2xx.", proof)
    }
    let noticed = judged.followed + judged.late + discarded
    guard noticed > 0 else {
      return Finding(.notExercised, "No response was broken in such a way that it could pass for a success.")
    }
    return Finding(
      .pass,
      "\(ReportText.were(noticed, "broken response")) not taken for a success.")
  }
}

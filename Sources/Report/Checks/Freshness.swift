import Contract

/// Checks that a response is reused for as long as `max-age` allows (RFC 9111 section 4.2), instead of being asked for again.
///
/// A request with `Cache-Control: no-cache`, as a person's pull-to-refresh sends it, wants a fresh one and says so.
struct Freshness: ReportCheck {
  static let id = "freshness"

  private enum Kind: Int { case wasteful }

  var interest: Traits { .timed }

  func judge(_ seen: Observation, _ facts: Facts, _ tally: inout Tally) {
    if facts.isAfterLifetime { tally.inOrder += 1 }
    guard facts.needless.count > 0 else { return }
    tally.others += 1
    guard facts.needless.provesHabit else { return }
    tally[Kind.wasteful].add(
      facts.needless, seen,
      "\(ReportText.request(seen)), whose response may be reused for \(ReportText.duration(facts.lifetime))")
  }

  func finding(_ tally: Tally, _ history: History) -> Finding {
    let wasteful = tally[Kind.wasteful]
    if wasteful.count > 0 {
      return Finding(
        .warn,
        "\(ReportText.were(wasteful.count, "resource")) requested again and again before max-age had expired "
          + "(\(ReportText.count(tally.others, "needless request"))): \(wasteful.example). Reuse the response, or send "
          + "Cache-Control: no-cache if a person wants a fresh one.\(wasteful.excuses)", wasteful.evidence)
    }
    guard tally.inOrder > 0 else {
      return Finding(.notExercised, "No response with max-age was requested again after it had expired.")
    }
    return Finding(.pass, "\(ReportText.count(tally.inOrder, "request")) came after max-age had passed.")
  }
}

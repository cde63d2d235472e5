/// Checks that entity tags that were offered come back as `If-None-Match`, so that what has not changed is not sent again
/// (RFC 9110 section 13.1.2).
struct ConditionalRequests: ReportCheck {
  static let id = "conditional-requests"

  private enum Kind: Int { case wasteful }

  var interest: Traits { .tagged }

  func judge(_ seen: Observation, _ facts: Facts, _ tally: inout Tally) {
    if facts.sentKnownTag { tally.inOrder += 1 }
    guard facts.unchanged.count > 0 else { return }
    tally.others += 1
    if facts.unchanged.provesHabit { tally[Kind.wasteful].add(facts.unchanged, seen, ReportText.request(seen)) }
  }

  func finding(_ tally: Tally, _ history: History) -> Finding {
    let wasteful = tally[Kind.wasteful]
    if wasteful.count > 0 {
      return Finding(
        .warn,
        "\(ReportText.were(wasteful.count, "resource")) fetched completely three times or more although the entity tag had "
          + "not changed (\(ReportText.count(tally.others, "needless response"))): \(wasteful.example). Send the tag as "
          + "If-None-Match.\(wasteful.excuses)", wasteful.evidence)
    }
    guard tally.inOrder > 0 else {
      return Finding(.notExercised, "No unchanged resource was fetched often enough to need If-None-Match.")
    }
    return Finding(
      .pass,
      "\(ReportText.count(tally.inOrder, "request")) sent a known entity tag, and no unchanged resource was fetched "
        + "completely three times.")
  }
}

import Contract

/// Checks that no write replaces another client's change that its client has not seen, although the entity tag that it had
/// been given could have prevented that with `If-Match` (RFC 9110 section 13.1.1).
///
/// A client that reads the record or its list again before it writes has seen the change.
struct LostUpdate: ReportCheck {
  static let id = "lost-update"

  private enum Kind: Int { case overwritten }

  var interest: Traits { .write }
  var needsState: Bool { true }

  func judge(_ seen: Observation, _ facts: Facts, _ tally: inout Tally) {
    if seen.isConditionalWrite, seen.intent?.overwrites == true { tally.inOrder += 1 }
    if facts.overwritten > 0 { tally[Kind.overwritten].add(seen, after: [facts.overwritten], unless: .person) }
  }

  func finding(_ tally: Tally, _ history: History) -> Finding {
    let overwritten = tally[Kind.overwritten]
    if overwritten.count > 0 {
      return Finding(
        .warn,
        "\(ReportText.count(overwritten.count, "write")) replaced another client's change that the writing client had not "
          + "read: \(overwritten.example). Send the entity tag of the last read as If-Match, and read again after 412.\(overwritten.excuses)",
        overwritten.evidence)
    }
    guard tally.inOrder > 0 else {
      return Finding(.notExercised, "No client replaced a change that another client had made since its own last read.")
    }
    return Finding(
      .pass, "\(ReportText.count(tally.inOrder, "write")) carried If-Match, and none replaced an unread change.")
  }
}

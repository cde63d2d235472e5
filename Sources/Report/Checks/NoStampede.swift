import Primitives

/// Checks that retries after an outage are spread, instead of all being sent at once.
///
/// Ten retries under way within a tenth of a second are the parallelism of a decent client: URLSession and browsers open six
/// connections to a host. Many clients that draw their waits may well meet; if nearly all of them come at the same tenth of a
/// second after a wait, they do not draw.
struct NoStampede: ReportCheck {
  static let id = "no-stampede"
  static let maximumTogether = 10

  private enum Kind: Int { case together }

  var interest: Traits { .retry }

  func judge(_ seen: Observation, _ facts: Facts, _ tally: inout Tally) {
    tally.inOrder += 1
    guard !seen.isOutage else { return }
    let count = facts.together.count
    tally.measure(.nanoseconds(count))
    if count == Self.maximumTogether + 1 {
      tally[Kind.together].add(seen, after: facts.together, unless: seen.isNamed ? [] : .severalClients)
    }
  }

  func finding(_ tally: Tally, _ history: History) -> Finding {
    guard tally.inOrder > 0 else { return Finding(.notExercised, "No request was tried again.") }
    let highest = tally.range.map { Int($0.upperBound.nanoseconds) } ?? 0
    let together = tally[Kind.together]
    if together.count > 0 {
      return Finding(
        together.verdict,
        "\(highest) retries of one client were under way within 100 ms, the last of them \(together.example); up to "
          + "\(Self.maximumTogether) are usual. Draw each wait at random, and limit how many requests run at once."
          + together.excuses, together.evidence)
    }
    let herd = history.clients.herd
    if herd.count >= Self.maximumTogether, herd.count * 5 >= history.clients.retryingCount * 4 {
      return Finding(
        .warn,
        "\(herd.count) clients, nearly all that tried again, came back within the same 100 ms, one of them with "
          + "\(herd.example). Add a random time to each wait, to that of Retry-After, too.", Evidence(ids: [herd.id]))
    }
    return Finding(
      .pass,
      "Of \(ReportText.count(tally.inOrder, "retry", "retries")), at most \(highest) of one client "
        + "\(ReportText.were(highest)) under way within 100 ms."
    )
  }
}

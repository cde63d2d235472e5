import Contract

/// Checks that no response causes the next equal request: an effect that triggers itself, such as a React effect that sets
/// the state on which it depends.
///
/// Neither entity tags nor max-age end such a loop. Each read begins within milliseconds of the last response, which no person
/// and no timer does hundreds of times in a row.
struct RequestsInALoop: ReportCheck {
  static let id = "requests-in-a-loop"
  /// The number of equal reads in a row that are a loop.
  static let length = 200

  private enum Kind: Int { case loop }

  var interest: Traits { .loop }

  func judge(_ seen: Observation, _ facts: Facts, _ tally: inout Tally) {
    tally[Kind.loop].add(
      seen, after: [facts.previous], seen.isNamed ? .certain : .unlessShared(seen.client, isParallel: true))
  }

  func finding(_ tally: Tally, _ history: History) -> Finding {
    let loop = tally[Kind.loop]
    if loop.count > 0 {
      return Finding(
        loop.verdict,
        "\(ReportText.were(loop.count, "resource")) read \(Self.length) times in a row or more, each time within "
          + "milliseconds of the last response: \(loop.example). The response causes the next request: request once, and "
          + "again only on an event or a timer.\(loop.advice)", loop.evidence)
    }
    guard history.hasRepeatedRead else { return Finding(.notExercised, "No client read a resource twice.") }
    return Finding(.pass, "No client read a resource in an endless loop.")
  }
}

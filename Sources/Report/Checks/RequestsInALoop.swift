import Contract

/// Checks that no response causes the next equal request: an effect that triggers itself, such as a React effect that sets
/// the state on which it depends, or an interceptor that gets a new token for each refusal.
///
/// Neither entity tags nor max-age end such a loop. Each request begins within milliseconds of a response, which no person
/// and no timer does hundreds of times in a row.
struct RequestsInALoop: ReportCheck {
  static let id = "requests-in-a-loop"

  private enum Kind: Int { case loop }

  var interest: Traits { .loop }

  func judge(_ seen: Observation, _ facts: Facts, _ tally: inout Tally) {
    let questions: Explanations = facts.hasSeveralQuestions ? .separateWishes : []
    tally[Kind.loop].add(
      seen, after: [facts.previousTurn], unless: seen.otherSenders(sideBySide: true).union(questions))
  }

  func finding(_ tally: Tally, _ history: History) -> Finding {
    let loop = tally[Kind.loop]
    if loop.count > 0 {
      return Finding(
        loop.verdict,
        "\(ReportText.were(loop.count, "request")) sent \(LoopHistory.length) times or more, each time within "
          + "milliseconds of a response, and got the same answer: \(loop.example). Nothing paces them: send the request "
          + "once, and again only on an event or a timer.\(loop.excuses)", loop.evidence)
    }
    guard history.loops.hasRepeated else { return Finding(.notExercised, "No client sent a request twice.") }
    return Finding(.pass, "No client sent a request in an endless loop.")
  }
}

import Contract

/// Checks that a write that failed for now is tried again: refused by 429 or 503, by 500 after the backend had applied it, or
/// lost under a key that makes it safe to repeat.
///
/// A client may leave that to its user, so it is a warning.
struct GaveUpAtOnce: ReportCheck {
  static let id = "gave-up-at-once"

  private enum Kind: Int { case forgotten, leftAtEnd }

  func judge(_ fate: WriteFate, _ tally: inout Tally) {
    guard !fate.doubts.isDisjoint(with: [.refused, .repeatable]) else { return }
    switch fate.ending {
    case .followed, .late: tally.inOrder += 1
    case .forgotten, .polled: tally[Kind.forgotten].add(fate.request, ids: [fate.id], .perhapsMeant)
    case .leftAtEnd(let time):
      tally[Kind.leftAtEnd].add(fate.request, ids: [fate.id], .perhapsMeant, figure: (time, .zero))
    case .interrupted, .unjudged: break
    }
  }

  func finding(_ tally: Tally, _ history: History) -> Finding {
    for (kind, when) in [(Kind.forgotten, "within 30 s"), (.leftAtEnd, "before the run ended")]
    where tally[kind].count > 0 {
      let time = tally[kind].figure.map { ", \(ReportText.duration($0)) later" } ?? ""
      return Finding(
        .warn,
        "\(ReportText.were(tally[kind].count, "write")) not tried again \(when)\(time), after a temporary failure or a lost "
          + "response: \(tally[kind].example). Try again after Retry-After, with the same Idempotency-Key.",
        tally[kind].evidence)
    }
    guard tally.inOrder > 0 else {
      return Finding(.notExercised, "No write failed temporarily long enough ago to be judged.")
    }
    return Finding(
      .pass, "\(ReportText.were(tally.inOrder, "write")) tried again after a temporary failure or a lost response.")
  }
}

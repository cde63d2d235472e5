import Contract

/// Checks that a write that failed for now is tried again: refused by 429 or 503, by 500 after the backend had applied it, or
/// lost under a key that makes it safe to repeat.
///
/// A client may leave that to its user, so it is a warning, unless a file declares what the write means and the command ends
/// with the exit code 0. A read counts only where a failing command ends with its refusal.
struct GaveUpAtOnce: ReportCheck {
  static let id = "gave-up-at-once"

  private enum Kind: Int, CaseIterable { case forgotten, leftAtEnd, failed }

  func judge(_ fate: WriteFate, _ tally: inout Tally) {
    guard !fate.doubts.isDisjoint(with: [.refused, .repeatable]) else { return }
    let request = fate.request + (fate.key.map { ", which has \(ReportText.key($0))" } ?? "")
    // A person may have been told of it, unless the command says by its exit code that all went well.
    let explanations = fate.isDeclared && fate.exitCode == 0 ? fate.explanations.intersection(.incomplete) : .person
    switch (fate.ending, fate.exitCode) {
    case (.followed, _), (.repeated, _), (.late, _), (.builtUpon, _): tally.inOrder += 1
    case (.forgotten, _): tally[Kind.forgotten].add(request, ids: [fate.id], unless: explanations)
    case (.polled, _): tally[Kind.forgotten].add(request, ids: [fate.id], unless: .person)
    case (.leftAtEnd(let time), let code?) where code != 0:
      tally[Kind.failed].add(
        "\(request) (exit code \(code))", ids: [fate.id], unless: .person, figure: (time, .zero))
    case (.leftAtEnd(let time), _):
      tally[Kind.leftAtEnd].add(request, ids: [fate.id], unless: explanations, figure: (time, .zero))
    case (.interrupted, _), (.unjudged, _): break
    }
  }

  func finding(_ tally: Tally, _ history: History) -> Finding {
    if let kind = tally.worst(of: Kind.allCases) {
      let mistake = tally[kind]
      let time = mistake.figure.map { ", \(ReportText.duration($0)) later" } ?? ""
      return Finding(
        mistake.verdict,
        "\(ReportText.were(mistake.count, kind == .failed ? "request" : "write")) not tried again \(Self.end(kind))\(time), "
          + "after a temporary failure or a lost response: \(mistake.example). Try again after Retry-After: with the key "
          + "that the request had, or after a look if a write had none.\(mistake.excuses)", mistake.evidence)
    }
    guard tally.inOrder > 0 else {
      return Finding(.notExercised, "No write failed temporarily long enough ago to be judged.")
    }
    return Finding(
      .pass, "\(ReportText.were(tally.inOrder, "write")) followed up after a temporary failure or a lost response.")
  }

  private static func end(_ kind: Kind) -> String {
    switch kind {
    case .forgotten: "within 30 s"
    case .leftAtEnd: "before the run ended"
    case .failed: "before the command failed"
    }
  }
}

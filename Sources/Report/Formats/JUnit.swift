import Primitives

/// Report cards as JUnit XML: a suite for each card, a case for each check.
///
/// A warning passes with a note, unless warnings fail the run; a check that was not exercised is skipped. A command has
/// its own suite, because its outcome belongs to no check.
extension JUnit.Suite {
  /// Returns a suite with a case for each check.
  ///
  /// - Parameter failsOnWarnings: True if a warning is a failure.
  static func card(_ card: ReportCard, name: String? = nil, failsOnWarnings: Bool = false) -> JUnit.Suite {
    JUnit.Suite(
      name: name ?? "understudy.\(card.sandbox)",
      properties: [("scenario", card.scenario), ("seed", "\(card.seed)")],
      cases: card.lines.map { line in
        JUnit.Case(name: line.id, outcome(of: line, failsOnWarnings: failsOnWarnings))
      })
  }

  private static func outcome(of line: ReportCard.Line, failsOnWarnings: Bool) -> JUnit.Case.Outcome {
    let sentence = line.finding.sentence
    let proof = line.finding.evidence.isEmpty ? "" : " " + ReportCard.proof(line.finding.evidence)
    return switch line.verdict {
    case .pass: .passed()
    case .warn where !failsOnWarnings || !line.isOfClient: .passed(note: "warning: " + sentence + proof)
    case .notExercised: .skipped(sentence)
    case .warn, .fail: .failed(message: sentence, text: sentence + proof)
    }
  }

  /// Returns a suite with one case: the outcome of a command.
  static func command(
    name: String, seed: UInt64, exitCode: Int32, failure: String?, duration: Duration? = nil
  ) -> JUnit.Suite {
    let outcome: JUnit.Case.Outcome = failure.map { .error($0, type: "exit-\(exitCode)") } ?? .passed()
    return JUnit.Suite(
      name: name, properties: [("seed", "\(seed)"), ("exitCode", "\(exitCode)")],
      cases: [JUnit.Case(name: "command", outcome, duration: duration ?? .zero)], duration: duration ?? .zero)
  }
}

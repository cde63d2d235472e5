import Primitives

/// Report cards as JUnit XML: a suite for each card, a case for each check.
///
/// A warning passes with a note, unless warnings fail the run; a check that was not exercised is skipped. A command has
/// its own suite, because its outcome belongs to no check. What fails a run without a failed check is a case, too.
extension JUnit.Suite {
  /// Returns the name of a suite. CI shows the suites of all runs of a matrix in one list, so the name tells them apart.
  ///
  /// - Parameters:
  ///   - source: The file of the card.
  ///   - scenario: The scenario of the card; for a command, that of the default sandbox, whose card is the last.
  ///   - seed: The seed of a command's run.
  static func name(
    source: String? = nil, scenario: String?, seed: UInt64? = nil, sandbox: String? = nil
  ) -> String {
    ["understudy", source, scenario, seed.map { "seed-\($0)" }, sandbox].compactMap(\.self).joined(separator: ".")
  }

  /// Returns a suite with a case for each check.
  ///
  /// - Parameters:
  ///   - source: The file of the card, if there may be several.
  ///   - seed: The seed of the command's run, if the card is from one.
  ///   - failsOnWarnings: True if a warning is a failure.
  static func card(
    _ card: ReportCard, of source: String? = nil, ofRunWithSeed seed: UInt64? = nil, failsOnWarnings: Bool = false
  ) -> JUnit.Suite {
    JUnit.Suite(
      name: name(source: source, scenario: card.scenario, seed: seed, sandbox: card.sandbox),
      properties: [("scenario", card.scenario), ("seed", "\(card.seed)")],
      cases: card.checks.map { check in
        JUnit.Case(name: check.id, outcome(of: check, failsOnWarnings: failsOnWarnings))
      })
  }

  private static func outcome(of check: ReportCard.Check, failsOnWarnings: Bool) -> JUnit.Case.Result {
    let sentence = check.sentence
    let proof = check.evidence.isEmpty ? "" : " " + ReportCard.proof(check.evidence)
    return switch check.verdict {
    case .pass: .passed()
    case .warn where !failsOnWarnings || !check.isOfClient: .passed(note: "warning: " + sentence + proof)
    case .notExercised: .skipped(sentence)
    case .warn, .fail: .failed(message: sentence, text: sentence + proof)
    }
  }

  /// Returns a suite with the outcome of a command, and the requirements on its run.
  static func command(_ command: ReportRun.Command, name: String) -> JUnit.Suite {
    let outcome: JUnit.Case.Result =
      command.failure.map { .error($0, type: "exit-\(command.exitCode)") } ?? .passed()
    let duration = command.duration ?? .zero
    let properties = [(name: "seed", value: "\(command.seed)"), (name: "exitCode", value: "\(command.exitCode)")]
    return JUnit.Suite(
      name: name, properties: properties + command.facts,
      cases: [JUnit.Case(name: "command", outcome, duration: duration)] + command.requirements.map(\.junit),
      duration: duration)
  }
}

import Contract
import Faults

/// Checks that each rule of the scenario took effect: a fault that no client met proves nothing. It speaks of the run, not of
/// the client.
struct FaultsDelivered: ReportCheck {
  static let id = "faults-delivered"
  static let subject = CheckSubject.run

  func finding(_ tally: Tally, _ history: History) -> Finding {
    let (finding, names) = (delivery(history), history.rules.inapplicable)
    guard !names.isEmpty else { return finding }
    let sentence =
      "\(ReportText.count(names.count, "rule does", "rules do")) not apply to the backend: "
      + "\(names.joined(separator: ", "))."
    guard history.rules.hasRules else { return Finding(.warn, sentence + " No other rule is in the scenario.") }
    return Finding(finding.verdict, "\(finding.sentence) \(sentence)", Evidence(ids: finding.evidence))
  }

  private func delivery(_ history: History) -> Finding {
    let rules = history.rules.rules
    guard !rules.isEmpty else { return Finding(.notExercised, "The armed scenario plans no faults.") }
    guard history.rules.exchanges > 0 else { return Finding(.notExercised, "No request came.") }
    let unmet = rules.filter { $0.delivered == 0 && history.rules.isRelevant($0) }
    guard unmet.isEmpty else {
      var evidence = Evidence()
      for rule in unmet { for id in rule.evidence.ids { evidence.add(id) } }
      let names = unmet.prefix(5).map(\.description).joined(separator: ", ")
      let more = unmet.count > 5 ? " and \(unmet.count - 5) more" : ""
      return Finding(
        .warn,
        "\(rules.count == 1 ? "The one rule" : "\(unmet.count) of \(rules.count) rules") never took effect, so the run did not test "
          + "\(unmet.count == 1 ? "it" : "them"): \(names)\(more). Let the run last longer, or send requests that match.",
        evidence)
    }
    let hits = rules.reduce(0) { $0 + $1.delivered }
    let idle = rules.count { $0.delivered == 0 }
    let rest = idle > 0 ? " \(ReportText.count(idle, "more is", "more are")) about APIs that were not used." : ""
    let met = rules.count - idle
    guard met > 0 else { return Finding(.notExercised, "All rules are about APIs that were not used.") }
    let one = idle > 0 ? "1 rule" : "The one rule"
    return Finding(
      .pass,
      "\(met > 1 ? "Each of \(met) rules" : one) took effect, \(ReportText.count(hits, "time")) in all.\(rest)")
  }
}

extension RuleHistory.Tally {
  /// The rule's name, what it matches, and why it was not delivered.
  fileprivate var description: String {
    let failures = undeliverable > 0 ? ", not deliverable \(ReportText.count(undeliverable, "time"))" : ""
    return "\(rule.title) (\(rule.matches)\(failures))"
  }
}

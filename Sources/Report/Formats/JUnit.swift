import JSON
import Primitives

/// Report cards as JUnit XML, as CI servers read it: a suite for each card, a case for each check.
///
/// A warning passes with a note in `system-out`, unless warnings fail the run; a check that was not exercised is
/// skipped. A command has its own suite, because its outcome belongs to no check.
struct JUnit {
  /// Cases under one name.
  struct Suite {
    let name: String
    fileprivate let properties: [(name: String, value: String)]
    fileprivate let cases: [Case]
    /// The time that the cases took; a card's checks take none.
    fileprivate var duration = Duration.zero

    /// Returns a suite with a case for each check.
    static func card(_ card: ReportCard, name: String? = nil) -> Suite {
      Suite(
        name: name ?? "understudy.\(card.sandbox)",
        properties: [("scenario", card.scenario), ("seed", "\(card.seed)")],
        cases: card.lines.map { line in
          let proof = line.finding.evidence.isEmpty ? "" : " " + ReportCard.proof(line.finding.evidence)
          return Case(
            name: line.id, verdict: line.verdict, isOfClient: line.isOfClient, sentence: line.finding.sentence,
            proof: proof)
        })
    }

    /// Returns a suite with one case: the outcome of a command.
    static func command(
      name: String, seed: UInt64, exitCode: Int32, failure: String?, duration: Duration? = nil
    ) -> Suite {
      Suite(
        name: name, properties: [("seed", "\(seed)"), ("exitCode", "\(exitCode)")],
        cases: [
          Case(
            name: "command", verdict: .pass, sentence: failure ?? "", error: failure.map { _ in exitCode },
            duration: duration ?? .zero)
        ], duration: duration ?? .zero)
    }
  }

  fileprivate struct Case {
    let name: String
    let verdict: Verdict
    /// False for a verdict on the run, which no warning fails.
    var isOfClient = true
    let sentence: String
    var proof = ""
    /// The exit code of a run that could not be checked.
    var error: Int32?
    var duration = Duration.zero
  }

  let suites: [Suite]
  let failsOnWarnings: Bool

  init(suites: [Suite], failsOnWarnings: Bool = false) {
    self.suites = suites
    self.failsOnWarnings = failsOnWarnings
  }

  init(_ cards: [ReportCard]) { self.init(suites: cards.map { .card($0) }) }

  var xml: String {
    let cases = suites.flatMap(\.cases)
    // The schema that Jenkins publishes has no total of skipped cases.
    var xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    xml += "<testsuites name=\"understudy\" \(counts(cases)) "
    xml += "time=\"\(Self.seconds(suites.reduce(.zero) { $0 + $1.duration }))\">\n"
    for suite in suites { xml += element(suite) }
    return xml + "</testsuites>\n"
  }

  private func counts(_ cases: [Case]) -> String {
    let errors = cases.count { $0.error != nil }
    return "tests=\"\(cases.count)\" failures=\"\(cases.count(where: isFailure))\" errors=\"\(errors)\""
  }

  private func isFailure(_ item: Case) -> Bool {
    item.verdict == .fail || failsOnWarnings && item.isOfClient && item.verdict == .warn
  }

  private func element(_ suite: Suite) -> String {
    let skipped = suite.cases.count { $0.verdict == .notExercised }
    var xml = "  <testsuite name=\"\(Markup.escaped(suite.name))\" \(counts(suite.cases))"
    xml += " skipped=\"\(skipped)\" time=\"\(Self.seconds(suite.duration))\">\n    <properties>\n"
    for property in suite.properties {
      xml += "      <property name=\"\(property.name)\" value=\"\(Markup.escaped(property.value))\"/>\n"
    }
    xml += "    </properties>\n"
    for item in suite.cases { xml += element(item, suite.name) }
    return xml + "  </testsuite>\n"
  }

  private func element(_ item: Case, _ suite: String) -> String {
    let names = "classname=\"\(Markup.escaped(suite))\" name=\"\(Markup.escaped(item.name))\""
    let open = "    <testcase \(names) time=\"\(Self.seconds(item.duration))\">"
    return open + content(item, Markup.escaped(item.sentence)) + "</testcase>\n"
  }

  /// A time in seconds with three decimals, as JUnit has it: `1.250`; `0` for none.
  private static func seconds(_ duration: Duration) -> String {
    let milliseconds = duration.nanoseconds / 1_000_000
    guard milliseconds > 0 else { return "0" }
    let rest = "\(milliseconds % 1_000)"
    return "\(milliseconds / 1_000)." + String(repeating: "0", count: 3 - rest.count) + rest
  }

  private func content(_ item: Case, _ sentence: String) -> String {
    if let code = item.error {
      return "<error message=\"\(sentence)\" type=\"exit-\(code)\">\(sentence)</error>"
    }
    if isFailure(item) {
      return "<failure message=\"\(sentence)\" type=\"\(Markup.escaped(item.name))\">\(sentence)\(item.proof)</failure>"
    }
    return switch item.verdict {
    case .warn: "<system-out>warning: \(sentence)\(item.proof)</system-out>"
    case .notExercised: "<skipped message=\"\(sentence)\"/>"
    case .pass, .fail: ""
    }
  }
}

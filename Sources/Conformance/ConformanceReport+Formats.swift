import Primitives

extension ConformanceReport {
  /// Returns the report as text: the failures with expectation and evidence, group by group, then the counts.
  ///
  /// - Parameter isLong: True to list the checks that passed, too.
  public func report(isLong: Bool = false) -> String {
    var lines = ["\(url)", Self.onOneLine(circumstances)]
    for group in ConformanceSuite.groups {
      let members = results.filter { $0.check.group == group }
      guard !members.isEmpty else { continue }
      lines += ["", "\(group): " + Self.counts(of: members)]
      for result in members where isLong || result.hasFailed { lines += Self.lines(of: result) }
      if !isLong { lines += Self.skipped(members) }
    }
    let milliseconds = Int(duration / .milliseconds(1))
    let seconds = "\(milliseconds / 1_000).\(milliseconds % 1_000 / 100) s"
    lines += ["", "\(results.count) checks in \(seconds): " + Self.counts(of: results)]
    return lines.joined(separator: "\n") + "\n"
  }

  private static func counts(of results: [CheckResult]) -> String {
    let failed = results.count(where: \.hasFailed)
    let passed = results.count { $0.outcome == .passed }
    return "\(passed) passed, \(failed) failed, \(results.count - passed - failed) skipped"
  }

  /// Returns one line for each reason; the long report lists the skipped checks.
  private static func skipped(_ results: [CheckResult]) -> [String] {
    var reasons: [(text: String, count: Int)] = []
    for result in results {
      guard case .skipped(let reason) = result.outcome else { continue }
      if let index = reasons.firstIndex(where: { $0.text == reason }) {
        reasons[index].count += 1
      } else {
        reasons.append((reason, 1))
      }
    }
    return reasons.map { "  skipped  \($0.count): \(onOneLine($0.text))" }
  }

  /// Replaces control characters: a server's text must neither break the report's lines nor control the reader's
  /// terminal.
  private static func onOneLine(_ text: String) -> String {
    String(text.map { $0.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F } ? "·" : $0 })
  }

  private static func lines(of result: CheckResult) -> [String] {
    switch result.outcome {
    case .passed: ["  passed   \(result.check.id)"]
    case .skipped(let reason): ["  skipped  \(result.check.id): \(onOneLine(reason))"]
    case .failed(let expected, let found):
      [
        "  FAILED   \(result.check.id): \(result.check.sentence)",
        "           expected \(onOneLine(expected))",
        "           found    \(onOneLine(found))",
        "           source   \(result.check.source)",
      ]
    }
  }
}

extension ConformanceReport {
  /// The report as JUnit XML for a build server, one suite per group.
  public var junit: String {
    let suites = ConformanceSuite.groups.compactMap { group -> JUnit.Suite? in
      let members = results.filter { $0.check.group == group }
      guard !members.isEmpty else { return nil }
      return JUnit.Suite(
        name: group, cases: members.map(\.testCase), duration: members.reduce(.zero) { $0 + $1.duration })
    }
    return JUnit(suites: suites).xml
  }
}

extension CheckResult {
  fileprivate var testCase: JUnit.Case {
    let outcome: JUnit.Case.Result =
      switch outcome {
      case .passed: .passed()
      case .skipped(let reason): .skipped(reason)
      case .failed(let expected, let found):
        .failed(
          message: "expected \(expected)",
          text: "\(check.sentence)\nexpected \(expected)\nfound    \(found)\nsource   \(check.source)")
      }
    return JUnit.Case(name: check.id, outcome, duration: duration)
  }
}

import Primitives

extension Verdict {
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

extension Verdict {
  /// The report as JUnit XML for a build server, one suite per group.
  public var junit: String {
    var lines = [
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>",
      "<testsuites name=\"understudy-conform\" tests=\"\(results.count)\" failures=\"\(failed.count)\" "
        + "skipped=\"\(skipped)\" time=\"\(Self.seconds(duration))\">",
    ]
    for group in ConformanceSuite.groups {
      let members = results.filter { $0.check.group == group }
      guard !members.isEmpty else { continue }
      let failures = members.count(where: \.hasFailed)
      let skipped = members.count { if case .skipped = $0.outcome { true } else { false } }
      let time = Self.seconds(members.reduce(.zero) { $0 + $1.duration })
      lines.append(
        "  <testsuite name=\"\(group)\" tests=\"\(members.count)\" failures=\"\(failures)\" errors=\"0\" "
          + "skipped=\"\(skipped)\" time=\"\(time)\">")
      lines += members.map(Self.testCase) + ["  </testsuite>"]
    }
    return (lines + ["</testsuites>"]).joined(separator: "\n") + "\n"
  }

  private static func testCase(_ result: CheckResult) -> String {
    let start =
      "    <testcase classname=\"\(result.check.group)\" name=\"\(result.check.id)\" time=\"\(seconds(result.duration))\""
    switch result.outcome {
    case .passed: return start + "/>"
    case .skipped(let reason): return start + "><skipped message=\"\(escaped(reason))\"/></testcase>"
    case .failed(let expected, let found):
      let text = "\(result.check.sentence)\nexpected \(expected)\nfound    \(found)\nsource   \(result.check.source)"
      return start + "><failure message=\"\(escaped("expected " + expected))\">\(escaped(text))</failure></testcase>"
    }
  }

  private static func seconds(_ duration: Duration) -> String {
    let milliseconds = Int(duration / .milliseconds(1))
    let digits = String(milliseconds % 1_000 + 1_000).dropFirst()
    return "\(milliseconds / 1_000).\(digits)"
  }

  /// Escapes text, line by line.
  private static func escaped(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { Markup.escaped(String($0)) }
      .joined(separator: "\n")
  }
}

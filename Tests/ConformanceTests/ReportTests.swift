import Foundation
import Testing

@testable import Conformance

#if canImport(FoundationXML)
  import FoundationXML
#endif

@Suite("Reports")
struct ReportTests {
  private static let verdict = ConformanceReport(
    url: "http://localhost:1", circumstances: "The server has no control API.",
    results: [
      result("a-passes", .passed), result("b-fails", .failed(expected: "<200> & \"more\"", found: "5\u{1}00")),
      result("c-is-skipped", .skipped("it needs more")),
    ], duration: .milliseconds(1_234))

  private static func result(_ id: String, _ outcome: CheckResult.Outcome) -> CheckResult {
    let check = CheckDescription(id: id, group: "devices", sentence: "It is so.", source: "somewhere", origin: .ours)
    return CheckResult(check: check, outcome: outcome, duration: .milliseconds(5))
  }

  @Test("as text list each failure with expectation, evidence and source, and end with the counts")
  func text() {
    #expect(
      Self.verdict.report(isLong: true) == """
        http://localhost:1
        The server has no control API.

        devices: 1 passed, 1 failed, 1 skipped
          passed   a-passes
          FAILED   b-fails: It is so.
                   expected <200> & "more"
                   found    5·00
                   source   somewhere
          skipped  c-is-skipped: it needs more

        3 checks in 1.2 s: 1 passed, 1 failed, 1 skipped

        """)
    let short = Self.verdict.report()
    #expect(!short.contains("a-passes") && short.contains("  skipped  1: it needs more\n"))
  }

  @Test("as JUnit are well-formed XML, whatever bytes the server sent")
  func junit() {
    let text = Self.verdict.junit
    let parser = XMLParser(data: Data(text.utf8))
    #expect(parser.parse(), "\(text)")
    #expect(
      text.contains("<testsuites name=\"understudy\" tests=\"3\" failures=\"1\" errors=\"0\" time=\"0.015\">"))
    #expect(text.contains("<testcase classname=\"devices\" name=\"a-passes\" time=\"0.005\"></testcase>"))
    #expect(
      text.contains("<failure message=\"expected &lt;200&gt; &amp; &quot;more&quot;\" type=\"b-fails\">It is so.\n"))
    #expect(text.contains("<skipped message=\"it needs more\"/>"))
  }
}

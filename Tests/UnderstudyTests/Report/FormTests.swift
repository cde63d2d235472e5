import Contract
import JSON
import Primitives
import Testing

@testable import Faults
@testable import Report
@testable import Understudy

@Suite("The report's formats")
struct FormTests {
  static let nasty = "/x?<script>alert('1')</script>&\"\u{1B}[31m\u{0}\u{202E}]]>"

  /// A report card with all its parts, and names that contain markup.
  static func card(of mistakes: [Mistake] = [.retriesRefusals, .forgetsTags, .ignoresRetryAfter]) -> ReportCard {
    var traffic = Traffic()
    var hash = SplitMix64(seed: 3)
    for mistake in mistakes { mistake.play(&traffic, &hash) }
    traffic.answered(503, "GET", nasty, retryAfter: .seconds(2)) { seen in
      seen.planned = Plan(
        seen.planned.position, Fault(.status(StatusResponse(status: 503)), rule: nasty, changes: false))
      seen.planned.change { $0.rules = [nasty] }
    }
    let findings = traffic.findings(rules: [nasty, "never met <b>"])
    var history = History()
    for (place, observation) in traffic.observations.enumerated() {
      var seen = observation
      seen.id = place + 1
      var facts = Facts()
      history.add(seen, &facts)
    }
    return ReportCard(
      sandbox: "default", scenario: nasty, seed: 7, exchanges: traffic.observations.count, replays: 1,
      isJournalPartial: true,
      checks: CheckRunner.ids.compactMap { id in findings[id].map { ReportCard.Check(id: id, finding: $0) } },
      delays: Delays(), timeline: history.requests.timeline)
  }

  /// Checks that the elements are nested correctly and that all characters are allowed in XML.
  private func elements(_ xml: String) throws -> [String] {
    var open: [String] = []
    var names: [String] = []
    var rest = xml[...]
    while let start = rest.firstIndex(of: "<") {
      let text = rest[..<start]
      #expect(!text.contains(">"), "\(text)")
      let end = try #require(rest[start...].firstIndex(of: ">"))
      let tag = rest[rest.index(after: start)..<end]
      rest = rest[rest.index(after: end)...]
      if tag.hasPrefix("?") { continue }
      let name = String(tag.drop { $0 == "/" }.prefix { $0.isLetter })
      if tag.hasPrefix("/") {
        #expect(open.popLast() == name)
      } else {
        names.append(name)
        #expect(tag.filter { $0 == "\"" }.count % 2 == 0)
        if !tag.hasSuffix("/") { open.append(name) }
      }
    }
    #expect(open.isEmpty)
    #expect(xml.unicodeScalars.allSatisfy { $0.value >= 32 || $0 == "\n" })
    return names
  }

  @Test("JUnit XML has a suite for each card and a case for each check, with counts that agree")
  func junit() throws {
    let card = Self.card()
    let xml = JUnit(suites: [.card(card), .card(card)]).xml
    let names = try elements(xml)
    #expect(xml.hasPrefix("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites "))
    #expect(names.count { $0 == "testsuite" } == 2 && names.count { $0 == "testcase" } == 2 * CheckRunner.ids.count)
    #expect(names.count { $0 == "failure" } == 2 * card.count(.fail) && card.count(.fail) == 2)
    #expect(names.count { $0 == "skipped" } == 2 * card.count(.notExercised))
    #expect(
      xml.contains(
        "<testsuites name=\"understudy\" tests=\"\(2 * CheckRunner.ids.count)\" failures=\"4\" errors=\"0\" time=\"0\">"
      ))
    #expect(!xml.contains("<script"))
  }

  @Test("JUnit XML reports warnings as failures where they fail the run, and a failed command as an error")
  func strictJUnit() throws {
    let card = Self.card()
    let failed = ReportRun.Command(
      seed: 7, words: ["sh", "it's.sh"], repetition: "understudy run -- sh it's.sh", startedAt: "2026-11-28T12:00:00Z",
      upstream: nil, exitCode: 5, failure: "the command exited with 5", duration: .seconds(1), requirements: [])
    let command = JUnit.Suite.command(failed, name: "run")
    let xml = JUnit(suites: [command, .card(card, failsOnWarnings: true)]).xml
    let names = try elements(xml)
    // A warning about the run is none about the client.
    let warnings = card.checks.count { $0.verdict == .warn && $0.isOfClient }
    #expect(warnings > 0 && names.count { $0 == "failure" } == card.count(.fail) + warnings)
    #expect(names.count { $0 == "error" } == 1)
    #expect(xml.contains("<testsuite name=\"run\" tests=\"1\" failures=\"0\" errors=\"1\" skipped=\"0\""))
    #expect(xml.contains("<property name=\"started\" value=\"2026-11-28T12:00:00Z\"/>"))
    #expect(try elements(JUnit(suites: [command, .card(card)]).xml).count { $0 == "failure" } == card.count(.fail))
  }

  @Test("the text has at most a hundred columns, no control characters, and colors only on request")
  func text() {
    let card = Self.card(of: Mistake.allCases)
    let plain = card.text()
    #expect(plain.split(separator: "\n").allSatisfy { $0.count <= 100 })
    #expect(!plain.contains("\u{1B}") && plain.contains("The journal is partial"))
    #expect(CheckRunner.ids.allSatisfy { plain.contains($0) })
    #expect(card.text(TextStyle(isColored: true)).contains("\u{1B}[1;31mX\u{1B}[0m"))
  }

  @Test("the text lists the checks that were not exercised together, without their sentences")
  func foldsIdle() {
    let card = Self.card(of: [])
    let idle = card.checks.filter { $0.verdict == .notExercised }
    let text = card.text()
    #expect(idle.count > 3 && text.contains("\n-   not exercised: "))
    #expect(idle.allSatisfy { text.contains($0.id) && !text.contains($0.finding.sentence) })
  }

  @Test(
    "the format follows Accept",
    arguments: [
      ("", ReportCard.Format.json), ("*/*", .json),
      ("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", .html),
      ("text/plain", .text), ("application/xml", .junit), ("application/json;q=0.5, text/plain;q=0.7", .text),
      ("text/html;q=0", .json), ("image/png", .json), ("text/html;q=0, text/plain;q=0.1", .text),
    ])
  func accepts(accept: String, form: ReportCard.Format) {
    #expect(ReportCard.Format(Accept(accept)) == form)
  }
}

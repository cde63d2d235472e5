import Foundation
import LiveTesting
import Testing

/// Runs the article's shell job unchanged, with a script in place of the reader's tests.
@Suite(
  "The shell job of the article on continuous integration", .enabled(if: ReadmeTests.hasCurl, "curl is not installed"),
  .live)
struct ContinuousIntegrationTests {
  private static let scenarios = ["calm", "lost-ack", "overload", "schema-drift"]

  /// Returns the article's block that begins with `#!/bin/sh`.
  private static func job() throws -> String {
    let page = try String(contentsOf: Repository.page("ContinuousIntegration"), encoding: .utf8)
    let blocks = page.components(separatedBy: "```")
    guard let block = blocks.first(where: { $0.hasPrefix("sh\n#!/bin/sh\n") }) else {
      throw Program.Failure(description: "the article has no shell job")
    }
    return String(block.dropFirst(3))
  }

  private struct Outcome {
    let status: Int32
    let errors: String
    let reports: [String: String]
  }

  private func run(tests: String, environment: [String: String] = [:], day: String? = nil) throws -> Outcome {
    let scratch = try ScratchDirectory()
    if let day {
      let script = Data("#!/bin/sh\necho \(day)\n".utf8)
      let attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o755]
      _ = FileManager.default.createFile(atPath: scratch.path + "/date", contents: script, attributes: attributes)
    }
    try scratch.write(Self.job(), to: "job.sh")
    try scratch.write(tests, to: "tests.sh")
    let program = try Program.location().deletingLastPathComponent().path
    let path = scratch.path + ":" + program + ":" + (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin")
    let job = try ChildProcess.run(
      .shell, ["job.sh"], environment: environment.merging(["PATH": path]) { $1 },
      directory: URL(filePath: scratch.path))
    var reports: [String: String] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: scratch.path + "/reports") {
      reports[name] = try scratch.read("reports/" + name)
    }
    return Outcome(status: job.status, errors: job.errors, reports: reports)
  }

  /// A client that meets a fault in each scenario, and does no harm.
  private static let decent = """
    curl -s -m 30 -o /dev/null "$UNDERSTUDY_URL/users/6"
    for time in 1 2; do curl -s -m 30 -o /dev/null -X PATCH -d '{"name":"Ann"}' "$UNDERSTUDY_URL/users/1"; done
    curl -s -m 30 -o /dev/null "$UNDERSTUDY_URL/users/1"; exit 0
    """

  @Test("passes a client that does no harm, and writes the cards of all scenarios as HTML and as JUnit")
  func passes() throws {
    let outcome = try run(tests: Self.decent)
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(
      outcome.reports.keys.sorted() == (Self.scenarios.map { $0 + ".json" } + ["all.html", "all.xml"]).sorted())
    #expect(outcome.reports["all.html"]?.contains("<html") == true)
    for scenario in Self.scenarios {
      let suite = "<testsuite name=\"understudy.reports/\(scenario).json.\(scenario).seed-7\""
      #expect(outcome.reports["all.xml"]?.contains(suite) == true)
    }
  }

  @Test("fails for a client that repeats unanswered bookings, and still runs the other scenarios")
  func fails() throws {
    let naive = """
      for person in Ada Grace Hedy; do
        for attempt in 1 2 3; do curl -sf -m 60 -d '{"name":"Ljerka"}' "$UNDERSTUDY_URL/book" >/dev/null && break; done
      done
      exit 0
      """
    let outcome = try run(tests: naive)
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("failed:") && outcome.errors.contains(" lost-ack"), "\(outcome.errors)")
    let suites = outcome.reports["all.xml"]?.components(separatedBy: "<testsuite ") ?? []
    let failing = suites.filter { $0.contains("<failure ") }
    #expect(failing.contains { $0.contains("reports/lost-ack.json") })
    #expect(!failing.contains { $0.contains("reports/calm.json") })
    #expect(suites.contains { $0.contains("reports/schema-drift.json") })
  }

  @Test("sweeps at night over twenty seeds, chosen by the day of the year", arguments: ["001", "089", "325"])
  func nightly(day: String) throws {
    let outcome = try run(tests: Self.decent, environment: ["NIGHTLY": "1"], day: day)
    #expect(outcome.status == 0, "\(outcome.errors)")
    let card = outcome.reports["all.xml"] ?? ""
    #expect(card.contains("1\(day)00") && card.contains("1\(day)19"), "\(card)")
  }
}

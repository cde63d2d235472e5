import Foundation
import LiveTesting
import Testing

/// Exit codes and files, as a script sees them.
@Suite("The outcome of understudy run", .live)
struct RunOutcomeTests {
  @Test(
    "is 74 if a report could not be written though the run passed", .enabled(if: hasFullDevice),
    arguments: ["--report /dev/full", "--junit /dev/full", "--report $1/gone/card.json", "--junit $1/gone/card.xml"])
  func unwritten(option: String) throws {
    let scratch = try ScratchDirectory()
    // The directory is there when the options are checked, and not when the files are written.
    let result = try Program.shell(
      "mkdir $1/gone; \"$0\" run --fail-on never \(option) -- rm -rf $1/gone", scratch.path)
    let file = try #require(option.split(separator: " ").last).replacing("$1", with: scratch.path)
    #expect(result.status == 74 && result.errors.contains(file), "\(result)")
  }

  @Test(
    "of a merge is 74, too, if its report could not be written", .enabled(if: hasFullDevice),
    arguments: ["--report", "--junit"])
  func unwrittenMerge(option: String) throws {
    let scratch = try ScratchDirectory()
    let run = try Program.shell(#""$0" run --fail-on never --report "$1/card.json" -- true"#, scratch.path)
    #expect(run.status == 0)
    let merge = try Program.shell(
      #""$0" report --merge --fail-on never \#(option) /dev/full "$1/card.json""#, scratch.path)
    #expect(merge.status == 74 && merge.errors.contains("/dev/full"), "\(merge)")
  }

  private static let hasFullDevice = FileManager.default.fileExists(atPath: "/dev/full")

  @Test("of a run that fails is the failure's, also if a report could not be written", .enabled(if: hasFullDevice))
  func failureBeforeFile() throws {
    let result = try Program.shell(#""$0" run --report /dev/full -- sh -c "exit 5""#)
    #expect(result.status == 5 && result.errors.contains("/dev/full"), "\(result)")
  }

  /// Runs that fail by default, each with a reason of its own.
  private static let failing: [(reason: String, options: String, command: String)] = [
    ("a failed check", "--scenario lost-ack --seed 7", Program.naiveClient),
    ("no request", "", "true"),
    ("no answer of the backend", "--upstream http://127.0.0.1:UNUSED", "curl -s $UNDERSTUDY_URL/orders; true"),
    ("no path that --only matches", "--scenario 3g --only /usrs/**", "curl -s $UNDERSTUDY_URL/users/1; true"),
    ("one failing seed of a sweep", "--scenario lost-ack --sweep 7...8", Program.naiveClient),
  ]

  @Test("is never a failure with --fail-on never, whatever would be one", .enabled(if: ReadmeTests.hasCurl))
  func never() throws {
    let closed = try BoundListener(isOpen: false)
    for (reason, options, command) in Self.failing {
      let options = options.replacing("UNUSED", with: "\(closed.port)").split(separator: " ").map(String.init)
      let strict = try Program.run(options + ["--", "sh", "-c", command]).result()
      #expect(strict.status == 3, "\(reason): \(strict)")
      let lenient = try Program.run(options + ["--fail-on", "never", "--", "sh", "-c", command]).result()
      #expect(lenient.status == 0, "\(reason): \(lenient)")
    }
  }

  @Test(
    "is explained where --only matches no request, and where a sweep has nothing to draw",
    .enabled(if: ReadmeTests.hasCurl))
  func explained() throws {
    let client = ["--", "sh", "-c", "curl -s $UNDERSTUDY_URL/users/1"]
    let missed = try Program.run(["--scenario", "3g", "--only", "/usrs/**"] + client).result()
    #expect(
      missed.output.replacing("\n", with: " ").contains(
        "No request has a path that matches --only /usrs/**, so this run did not test any failure; the requests are GET /users/1."
      ),
      "\(missed)")
    let calm = try Program.run(["--sweep", "1...3"] + client).result()
    #expect(calm.errors.contains("the scenario calm has no rules, so no seed changes a fault"), "\(calm)")
    #expect(calm.output.hasSuffix("3 seeds, 0 failing\n"), "\(calm)")
  }

  @Test("is repeated by the line for that, which writes none of its files again")
  func repeatsWithoutFiles() throws {
    let scratch = try ScratchDirectory()
    try scratch.write(#"{"name": "two", "rules": [{"name": "a", "effect": {"status": 500}}]}"#, to: "scenario.json")
    let files = ["card.json", "card.xml", "small.json"].map { scratch.path + "/" + $0 }
    let result = try Program.run([
      "--scenario", scratch.path + "/scenario.json", "--report", files[0], "--junit", files[1], "--shrink-to", files[2],
      "--", "sh", "-c", "exit 6",
    ]).result()
    #expect(result.status == 6)
    for file in try FileManager.default.contentsOfDirectory(atPath: scratch.path) where file != "scenario.json" {
      try FileManager.default.removeItem(atPath: scratch.path + "/" + file)
    }
    let line = try #require(result.output.split(separator: "\n").first { $0.hasPrefix("repeat: ") }).dropFirst(8)
    #expect(try ChildProcess.run(.shell, ["-c", String(line)]).status == 6)
    #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path) == ["scenario.json"])
  }

  @Test("is that of the signal when Ctrl-C ends a sweep whose command has the terminal", .enabled(if: hasScript))
  func interruptedAtTerminal() throws {
    let scratch = try ScratchDirectory()
    try scratch.write(#"echo $UNDERSTUDY_SEED >> "$1/seeds"; sleep 60"#, to: "command.sh")
    let result = try Program.shell(
      #"""
      { until [ -s "$1/seeds" ]; do sleep 0.05; done; printf '\003'; } |
        script -qec "'$0' run --sweep 1...3 -- sh '$1/command.sh' '$1'" /dev/null
      echo "exit $?"
      """#, scratch.path)
    #expect(result.output.contains("exit 130") && result.output.contains("stopped after 0 of 3 seeds"), "\(result)")
    #expect(try scratch.read("seeds") == "1\n", "no further seed begins")
  }

  private static let hasScript = FileManager.default.isExecutableFile(atPath: "/usr/bin/script")
}

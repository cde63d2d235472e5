import Foundation
import LiveTesting
import Testing

@Suite("understudy explore --save", .live, .enabled(if: ReadmeTests.hasCurl))
struct ExploreSaveTests {
  private let environment = ["PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"]
  private let scratch: ScratchDirectory

  init() throws { scratch = try ScratchDirectory() }

  /// `book NAME [LABEL]` books once, `insist NAME [LABEL]` again if there is no answer, and `sandbox NAME` makes one.
  private static let functions = #"""
    book() { curl -sf -m 2 -o /dev/null -d "{\"name\":\"$1\"}" $UNDERSTUDY_URL$2/book; }
    insist() { book "$@" || book "$@"; }
    sandbox() { curl -s -o /dev/null -d "{\"name\":\"$1\"}" $UNDERSTUDY_URL/_mock/sandboxes; }

    """#

  /// Explores a client's lost writes, and returns the result and the names of the saved files.
  private func explore(_ client: String, _ options: [String] = []) throws -> (result: Program.Result, saved: [String]) {
    let directory = scratch.path + "/cells"
    let words = ["explore", "--faults", "reset@after", "--save", directory] + options
    let result = try Program(
      words + ["--", "sh", "-c", Self.functions + client], environment: environment
    ).result()
    return (result, ((try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []).sorted())
  }

  /// Runs a client with a saved scenario.
  private func run(_ scenario: String, _ client: String) throws -> Program.Result {
    try Program.run(["--scenario", scratch.path + "/cells/" + scenario, "--", "sh", "-c", Self.functions + client])
      .result()
  }

  @Test("counts a request as its scenario does: since the last reset of the sandbox")
  func reset() throws {
    let client = "book Yana; curl -s -o /dev/null -X POST $UNDERSTUDY_URL/_mock/reset; insist Ljerka; true"
    let (result, saved) = try explore(client)
    #expect(result.output.hasSuffix("1 cell fails: POST /book#2: reset@after\n"), "\(result)")
    #expect(saved == ["post-book-2-reset-after.json"], "\(result)")
    let told = "post-book-2-reset-after.json repeats POST /book#2 reset@after: "
    let line = try #require(result.errors.firstRange(of: told), "\(result)").upperBound
    let pasted = try ChildProcess.run(.shell, ["-c", String(result.errors[line...])])
    #expect(pasted.status == 3 && pasted.output.contains("X   no-duplicate-effect"), "\(pasted)")
  }

  @Test("repeats a loss in the second of two sandboxes that have new names in each run")
  func sandboxes() throws {
    let client = """
      now=$(date +%s%N); sandbox a-$now; sandbox b-$now; book Yana /@a-$now; insist Ljerka /@b-$now; true
      """
    let (result, saved) = try explore(client)
    #expect(
      result.output.hasSuffix("2 cells fail: POST /@*/book#1: reset@after; POST /@*/book#2: reset@after\n"), "\(result)"
    )
    #expect(saved == ["post-book-1-reset-after.json", "post-book-2-reset-after.json"], "\(result)")
    let repeated = try run("post-book-2-reset-after.json", client)
    #expect(repeated.status == 3 && repeated.output.contains("X   no-duplicate-effect"), "\(repeated)")
  }

  @Test("keeps the rules of the exploration's own scenario")
  func base() throws {
    try scratch.write(
      #"{"rules": [{"name": "no users", "match": {"path": "/users"}, "effect": {"status": 500}}]}"#,
      to: "base.json")
    let client = "curl -sf -o /dev/null $UNDERSTUDY_URL/users || insist Ljerka; true"
    let (result, saved) = try explore(client, ["--scenario", scratch.path + "/base.json"])
    #expect(result.status == 3 && saved == ["post-book-1-reset-after.json"], "\(result)")
    let repeated = try run("post-book-1-reset-after.json", client)
    #expect(repeated.status == 3 && repeated.output.contains("X   no-duplicate-effect"), "\(repeated)")
  }

  @Test("gives a warned cell's line the option with which it fails")
  func warned() throws {
    let words = [
      "explore", "--faults", "status=429;retryAfter=5s", "--fail-on", "warn", "--save", scratch.path + "/cells", "--",
      "sh", "-c", "for i in 1 2; do curl -sf -o /dev/null $UNDERSTUDY_URL/users && exit; done; true",
    ]
    let result = try Program(words, environment: environment).result()
    let told = "get-users-1-status-429-retryafter-5s.json repeats GET /users#1 status=429;retryAfter=5s: "
    let line = try #require(result.errors.firstRange(of: told), "\(result)").upperBound
    let pasted = try ChildProcess.run(.shell, ["-c", String(result.errors[line...])])
    #expect(pasted.status == 3 && pasted.output.contains("!   retry-after-honoured"), "\(pasted)")
  }

  @Test("saves a failing cell with --fail-on never, too, and passes")
  func lenient() throws {
    let (result, saved) = try explore("insist Ljerka; true", ["--fail-on", "never"])
    #expect(result.status == 0 && saved == ["post-book-1-reset-after.json"], "\(result)")
  }

  @Test("exits with 74 if a cell could not be saved though the exploration passed")
  func unwritten() throws {
    // The directory can be made when the options are checked, and not when the cells are saved.
    let (result, _) = try explore("rm -rf '\(scratch.path)'; insist Ljerka; true", ["--fail-on", "never"])
    #expect(result.status == 74 && result.errors.contains("--save: \(scratch.path)/cells: "), "\(result)")
  }

  @Test("says why no scenario can repeat a cell: its rule would be one too many")
  func refused() throws {
    let rules = (1...1_000).map {
      #"{"name": "\#($0)", "match": {"path": "/users"}, "when": {"nth": \#($0 + 1)}, "effect": {"status": 500}}"#
    }
    try scratch.write(#"{"rules": [\#(rules.joined(separator: ","))]}"#, to: "base.json")
    let (result, saved) = try explore("insist Ljerka; true", ["--scenario", scratch.path + "/base.json"])
    #expect(result.status == 3 && saved.isEmpty, "\(result)")
    #expect(result.errors.contains("no scenario repeats POST /book#1 reset@after: "), "\(result)")
    #expect(result.errors.contains("expected at most 1000 rules, found 1001"), "\(result)")
  }

  @Test("gives each cell a file of its own, be their names the same in letters and digits")
  func sameNames() throws {
    let client = "for id in a-b a_b a.b; do curl -s -o /dev/null $UNDERSTUDY_URL/devices/$id || exit 1; done"
    let words = ["explore", "--faults", "reset", "--fail-on", "command", "--save", scratch.path + "/cells"]
    let result = try Program(words + ["--", "sh", "-c", client], environment: environment).result()
    #expect(result.output.contains("3 cells fail: "), "\(result)")
    let saved = try FileManager.default.contentsOfDirectory(atPath: scratch.path + "/cells").sorted()
    #expect(saved == ["", "-2", "-3"].map { "get-devices-a-b-1-reset\($0).json" }.sorted(), "\(result)")
  }

  @Test("replaces no file by a scenario that repeats nothing, because the command chooses its own, and says what does")
  func replaced() throws {
    try FileManager.default.createDirectory(atPath: scratch.path + "/cells", withIntermediateDirectories: false)
    try scratch.write("mine", to: "cells/post-book-1-reset-after.json")
    let client = """
      curl -s -o /dev/null -X PUT -d '"calm"' $UNDERSTUDY_URL/_mock/scenario; insist Ljerka; true
      """
    let (result, saved) = try explore(client)
    #expect(result.status == 3 && saved == ["post-book-1-reset-after.json"], "\(result)")
    #expect(try scratch.read("cells/post-book-1-reset-after.json") == "mine")
    #expect(result.errors.contains("no scenario repeats POST /book#1 reset@after: "), "\(result)")
    #expect(result.errors.contains("explore --cell 'POST /book#1 reset@after' -- sh -c "), "\(result)")
  }
}

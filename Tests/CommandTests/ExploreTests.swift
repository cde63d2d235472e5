import Contract
import ControlAPI
import Foundation
import JSON
import LiveTesting
import Testing

@Suite("understudy explore", .live, .enabled(if: ReadmeTests.hasCurl))
struct ExploreTests {
  /// Reads the rooms, books one, and takes silence for failure.
  private static let naive = """
    curl -sf -o /dev/null --retry 3 --retry-delay 0 --retry-all-errors $UNDERSTUDY_URL/rooms.json || exit 1
    for attempt in 1 2 3; do
      curl -sf -m 2 -o /dev/null -d '{"name":"Ljerka"}' $UNDERSTUDY_URL/book && exit 0
    done
    exit 1
    """

  private let environment = ["PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"]

  private func explore(_ words: String..., environment: [String: String] = [:]) throws -> Program.Result {
    try Program(["explore"] + words, environment: self.environment.merging(environment) { $1 }).result()
  }

  @Test(
    "finds each request whose loss makes the client book twice, and prints the table, the mistake and its repeat line")
  func naiveClient() throws {
    let result = try explore("--faults", "reset,status=503@after,reset@after", "--", "sh", "-c", Self.naive)
    #expect(result.status == 3, "\(result)")
    let lines = result.output.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    #expect(lines.contains { $0.hasPrefix("GET /rooms.json #1  ok") }, "\(result.output)")
    #expect(lines.contains { $0.hasPrefix("POST /book #1       ok") && $0.hasSuffix("X       X") }, "\(result.output)")
    #expect(lines.contains("X   no-duplicate-effect"))
    #expect(result.output.contains("POST /book#1: status=503@after, reset@after"))
    #expect(result.output.contains("Send an Idempotency-Key"))
    #expect(
      lines.contains { $0.contains("explore --cell 'POST /book#1 status=503@after' -- sh -c ") }, "\(result.output)")
    #expect(result.output.hasSuffix("4 runs, 2 cells fail: POST /book#1: status=503@after, reset@after\n"), "\(result)")
  }

  @Test("repeats one cell alone, with its card")
  func cell() throws {
    let result = try explore("--cell", "POST /book#1 reset@after", "--", "sh", "-c", Self.naive)
    #expect(
      result.status == 3 && result.output.contains("\nX   no-duplicate-effect       1 write was sent"), "\(result)")
    #expect(result.output.hasSuffix("1 run, 1 cell fails: POST /book#1: reset@after\n"))
  }

  @Test("does not accuse a client that fails honestly, unless it is asked to")
  func honest() throws {
    let client = "curl -sf -o /dev/null $UNDERSTUDY_URL/rooms.json"
    let lenient = try explore("--faults", "reset", "--", "sh", "-c", client)
    #expect(lenient.status == 0, "\(lenient)")
    #expect(lenient.output.contains("GET /rooms.json #1  exit\n"), "\(lenient.output)")
    let strict = try explore("--faults", "reset", "--fail-on", "command", "--", "sh", "-c", client)
    #expect(strict.status == 3)
  }

  @Test("arms the fault of a cell above resets, scenarios and sandboxes")
  func layer() throws {
    let client = """
      curl -s -X POST $UNDERSTUDY_URL/_mock/reset -o /dev/null
      curl -s -X PUT -d '"calm"' $UNDERSTUDY_URL/_mock/scenario -o /dev/null
      curl -s -d '{"name":"test-1"}' $UNDERSTUDY_URL/_mock/sandboxes -o /dev/null
      curl -s $UNDERSTUDY_URL/@test-1/users/1 -o /dev/null
      curl -s -X POST $UNDERSTUDY_URL/@test-1/_mock/reset -o /dev/null
      curl -s -w '%{http_code} ' $UNDERSTUDY_URL/@test-1/users/1 -o /dev/null
      curl -s -X DELETE $UNDERSTUDY_URL/_mock/sandboxes/test-1
      """
    let result = try explore("--cell", "GET /@test-1/users/1#2 status=503", "--", "sh", "-c", client)
    #expect(result.output.hasPrefix("503 "), "\(result)")
    #expect(result.output.contains("1 run, no cell fails\n"), "\(result)")
  }

  @Test("finds a client that books twice only if the second of its three writes is lost")
  func second() throws {
    let client = #"""
      book() { curl -sf -m 2 -o /dev/null -d "{\"name\":\"$1\"}" $UNDERSTUDY_URL/book; }
      book Ljerka; book Helmold || book Helmold; book Yana; curl -s -o /dev/null $UNDERSTUDY_URL/rooms.json
      """#
    let result = try explore("--faults", "reset@after", "--", "sh", "-c", client)
    #expect(result.status == 3)
    #expect(result.output.hasSuffix("3 runs, 1 cell fails: POST /book#2: reset@after\n"), "\(result)")
  }

  @Test("matches paths that the client makes anew by their pattern")
  func anew() throws {
    let client = """
      curl -s -o /dev/null $UNDERSTUDY_URL/devices; curl -s -o /dev/null $UNDERSTUDY_URL/devices/$(date +%s%N); true
      """
    let result = try explore("--faults", "reset", "--", "sh", "-c", client)
    #expect(result.output.contains("GET /devices/* #1"), "\(result)")
    #expect(result.output.contains("2 runs"), "\(result)")
  }

  @Test("writes its report, JUnit and a scenario for each failing cell, which run repeats")
  func files() throws {
    let scratch = try ScratchDirectory()
    let (report, junit, saved) = (scratch.path + "/r.json", scratch.path + "/r.xml", scratch.path + "/cells")
    let result = try explore(
      "--faults", "reset,reset@after", "--report", report, "--junit", junit, "--save", saved, "--", "sh", "-c",
      Self.naive)
    #expect(result.status == 3, "\(result)")
    #expect(try scratch.read("r.json").contains(#""mark": "failed""#))
    try Problem.check(JSONValue(parsing: Array(scratch.read("r.json").utf8)), against: .exploration)
    #expect(try scratch.read("r.xml").contains(#"<testsuite name="POST /book#1" tests="2" failures="1""#))
    let scenario = saved + "/post-book-1-reset-after.json"
    let repeated = try Program.run(["--scenario", scenario, "--", "sh", "-c", Self.naive]).result()
    #expect(repeated.status == 3 && repeated.output.contains("X   no-duplicate-effect"), "\(repeated)")
    let page = scratch.path + "/r.html"
    let known = try explore(
      "--faults", "reset,reset@after", "--known", report, "--report", page, "--", "sh", "-c", Self.naive)
    #expect(known.status == 0 && known.output.hasSuffix("3 runs, 1 known, no cell fails\n"), "\(known)")
    #expect(try scratch.read("r.html").contains("POST /book#1 reset@after: failed"))
  }

  @Test("runs its reset command before each run")
  func reset() throws {
    let scratch = try ScratchDirectory()
    let result = try explore(
      "--reset", "echo reset >>\(scratch.path)/log", "--faults", "reset", "--", "sh", "-c",
      "curl -s -o /dev/null $UNDERSTUDY_URL/users; true")
    #expect(result.status == 0, "\(result)")
    #expect(try scratch.read("log") == "reset\nreset\nreset\n")
    let failed = try explore("--reset", "echo no database; exit 7", "--", "true")
    #expect(failed.status == 69, "\(failed)")
    #expect(
      failed.errors == """
        understudy: the command of --reset ended with 7: echo no database; exit 7; the end of its output:
        no database

        """)
  }

  @Test("fails if no fault took effect in any cell, unless it never fails")
  func idle() throws {
    let client = "[ -n \"$UNDERSTUDY_CELL\" ] || curl -s -o /dev/null $UNDERSTUDY_URL/users"
    let result = try explore("--faults", "reset", "--", "sh", "-c", client)
    #expect(result.status == 3 && result.output.contains("No fault took effect: "), "\(result)")
    let lenient = try explore("--faults", "reset", "--fail-on", "never", "--", "sh", "-c", client)
    #expect(lenient.status == 0, "\(lenient)")
  }

  @Test("runs two commands at the same time, and finds the same")
  func jobs() throws {
    let words = ["--faults", "reset,status=503@after,reset@after"]
    let one = try Program(["explore"] + words + ["--", "sh", "-c", Self.naive], environment: environment).result()
    let two = try Program(
      ["explore", "--jobs", "2"] + words + ["--", "sh", "-c", Self.naive], environment: environment
    ).result()
    #expect(one.status == 3 && two.status == 3, "\(two)")
    #expect(two.output.replacing(" --jobs 2", with: "") == one.output, "\(two)")
  }

  @Test("lets the next attempt fail, too, where the command copes, with --twice")
  func twice() throws {
    let client = """
      curl -sf -o /dev/null $UNDERSTUDY_URL/users || curl -sf -o /dev/null $UNDERSTUDY_URL/users
      """
    let result = try explore("--faults", "reset", "--twice", "--fail-on", "command", "--", "sh", "-c", client)
    #expect(result.status == 3, "\(result)")
    #expect(result.output.hasSuffix("2 runs, 1 cell fails: GET /users#1...2: reset\n"), "\(result)")
    #expect(result.output.contains("      GET /users: no response (the fault)\n"), "\(result)")
    #expect(result.output.contains("explore --fail-on command --cell 'GET /users#1...2 reset' -- sh -c "), "\(result)")
  }

  @Test("has a row for each request of a path only with --rows all, and finds any of them by the name that it prints")
  func rows() throws {
    let client = "for i in 1 2 3 4 5; do curl -s -o /dev/null $UNDERSTUDY_URL/users; done; true"
    let some = try explore("--faults", "reset", "--", "sh", "-c", client)
    #expect(some.output.hasSuffix("3 runs, no cell fails\n"), "\(some)")
    let all = try explore("--faults", "reset", "--rows", "all", "--", "sh", "-c", client)
    #expect(all.output.hasSuffix("5 runs, no cell fails\n"), "\(all)")
    let cell = try explore("--cell", "get /users #4 reset", "--", "sh", "-c", client)
    #expect(cell.output.contains("\nGET /users #4  ok\n"), "\(cell)")
  }

  @Test("marks requests that its command sends side by side")
  func parallel() throws {
    let scratch = try ScratchDirectory()
    let scenario = scratch.path + "/slow.json"
    let rule = """
      {"match": {"path": "/users"}, "when": {"first": 1}, "effect": {"pace": {"bytesPerSecond": 100, "chunk": 100}}}
      """
    try Data(#"{"name": "slow", "rules": [\#(rule)]}"#.utf8).write(to: URL(filePath: scenario))
    // The first response has begun, and has not ended, while the second request is made.
    let client = """
      trap "" PIPE
      address=${UNDERSTUDY_URL#http://}
      exec 3<>"/dev/tcp/${address%:*}/${address##*:}"
      printf 'GET /users HTTP/1.1\\r\\nHost: %s\\r\\n\\r\\n' "$address" >&3
      read -r status <&3
      curl -s -o /dev/null "$UNDERSTUDY_URL/users"
      exec 3>&-
      curl -s -o /dev/null "$UNDERSTUDY_URL/users"
      """
    let result = try explore("--scenario", scenario, "--faults", "reset", "--", "bash", "-c", client)
    #expect(result.output.contains("GET /users #1 ~  ok\nGET /users #2 ~  ok\nGET /users #3 "), "\(result)")
  }

  @Test("only warns of a client that books the same twice on purpose, if it does so as often without a fault")
  func twins() throws {
    let client = """
      for i in 1 2; do curl -s -o /dev/null -d '{"name":"Ljerka"}' $UNDERSTUDY_URL/book; done; true
      """
    let result = try explore("--cell", "POST /book#1 reset@after", "--", "sh", "-c", client)
    #expect(result.status == 0, "\(result)")
    #expect(result.output.replacing("\n    ", with: " ").contains("so the second may be meant."), "\(result)")
    #expect(result.output.hasSuffix("\n1 run, 1 warned, no cell fails\n"), "\(result)")
  }

  @Test("gives each run a directory for its files, no input, and the name of its cell")
  func surroundings() throws {
    let client = """
      [ -z "$(cat)" ] && [ -z "$(ls -A "$TMPDIR")" ] && touch "$TMPDIR/file" && curl -s -o /dev/null $UNDERSTUDY_URL/users
      [ -z "$UNDERSTUDY_CELL" ] || [ "$UNDERSTUDY_CELL" = "GET /users#1 status=503" ]
      """
    let result = try explore("--faults", "status=503", "--fail-on", "command", "--", "sh", "-c", client)
    #expect(result.status == 0, "\(result)")
  }

  static let refused: [(words: [String], status: Int32, error: String)] = [
    (["--faults", "rset", "--", "true"], 64, "did you mean reset?"),
    (["--faults", "", "--", "true"], 64, "--faults needs a value"),
    (["--faults", "reset,,empty", "--", "true"], 64, "expected a way to fail, as in reset or status=503"),
    (["--report", "x", "--", "true"], 64, "expected a file that ends with .json, .html, .txt or .xml (JUnit)"),
    (["--jobs", "0", "--", "true"], 64, "--jobs 0: expected a number from 1 to 64"),
    (["--limit", "x", "--", "true"], 64, "--limit x: expected a number"),
    (["--rows", "some", "--", "true"], 64, "--rows some: expected all"),
    (["--only", "api", "--", "true"], 64, "--only api: expected a path"),
    (["--fail-on", "exit", "--", "true"], 64, "expected fail, command, warn or never"),
    (["--cell", "POST /book reset", "--", "true"], 64, "expected METHOD PATH#N WAY"),
    (["--cell", "POST /book#1 reset", "--twice", "--", "true"], 64, "--cell and --twice cannot be combined"),
    (["--jobs", "2", "--reset", "true", "--", "true"], 64, "--jobs and --reset cannot be combined"),
    (["--upstream-timeout", "0s", "--", "true"], 64, "--upstream-timeout 0s: expected a duration, as in 500ms or 30s"),
    (["--jobs", "2", "--port", "8099", "--", "true"], 64, "--jobs and --port cannot be combined"),
    (["--jobs", "2", "--control-port", "8099", "--", "true"], 64, "--jobs and --control-port cannot be combined"),
    (["--port", "8099", "--control-port", "8099", "--", "true"], 64, "--port and --control-port are the same, 8099"),
    (["--state", "/tmp", "--", "true"], 64, "explore does not support --state"),
    (["--known", "/nowhere.json", "--", "true"], 64, "--known: /nowhere.json"),
    ([], 64, "explore needs a command after --"),
    (["--", "/nowhere/program"], 127, "there is no program"),
    (["--", "sh", "-c", "echo broken; exit 5"], 5, "without a fault, the command exited with 5"),
    (["--", "true"], 3, "The server got no request"),
    (["--cell", "GET /nowhere#1 reset", "--", "sh", "-c", "curl -s $UNDERSTUDY_URL/users"], 64, "GET /users#1"),
    (
      ["--only", "/apii/**", "--", "sh", "-c", "curl -s $UNDERSTUDY_URL/users"], 3,
      "--only /apii/** matches no request of the command, so nothing was explored; its requests are GET /users"
    ),
    (
      ["--faults", "reset@after", "--", "sh", "-c", "curl -s $UNDERSTUDY_URL/users"], 3,
      "no request can fail by reset@after, so nothing was explored"
    ),
    (["--cell", "GET /users#1 reset@after", "--", "sh", "-c", "curl -s $UNDERSTUDY_URL/users"], 64, "only a write"),
  ]

  @Test("refuses what it cannot run with one line, and prints no table", arguments: refused)
  func refuses(words: [String], status: Int32, error: String) throws {
    let path = ["PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"]
    let result = try Program(["explore"] + words, environment: path).result()
    #expect(result.status == status, "\(result)")
    #expect(result.errors.contains(error), "\(result)")
    #expect(result.output.isEmpty, "\(result)")
  }
}

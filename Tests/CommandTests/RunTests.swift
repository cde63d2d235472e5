import Foundation
import LiveTesting
import Testing

@Suite("understudy run", .live)
struct RunTests {
  private func run(_ words: String...) throws -> Program.Result { try Program.run(words).result() }

  @Test("passes the address and the streams to the command, and exits with the command's code")
  func passesOn() throws {
    let result = try run("--", "sh", "-c", "echo $UNDERSTUDY_URL $UNDERSTUDY_PORT; echo oops >&2; exit 5")
    #expect(result.status == 5)
    let words = result.output.split(whereSeparator: \.isWhitespace)
    #expect(words.first?.hasPrefix("http://127.0.0.1:") == true && words[0].hasSuffix(":" + words[1]))
    #expect(result.errors.contains("oops"))
    #expect(result.output.contains("understudy run --seed 1 -- sh -c 'echo "))
  }

  @Test("reports a command that a signal terminates, and one that takes too long")
  func ends() throws {
    #expect(try run("--", "sh", "-c", "kill -9 $$").status == 137)
    let late = try run("--timeout", "1s", "--", "sh", "-c", "sleep 60 & sleep 60")
    #expect(late.status == 124)
    #expect(late.errors.contains("exceeded --timeout"))
  }

  @Test("forwards megabytes of output")
  func streams() throws {
    let result = try run("--fail-on", "never", "--", "sh", "-c", "head -c 3000000 /dev/zero | tr '\\0' x")
    #expect(result.status == 0)
    #expect(result.output.count > 3_000_000)
  }

  @Test(
    "fails for a client that books twice, unless --fail-on is never", .enabled(if: ReadmeTests.hasCurl))
  func catches() throws {
    let scratch = try ScratchDirectory()
    let result = try run(
      "--scenario", "lost-ack", "--seed", "7", "--junit", scratch.path + "/card.xml", "--report",
      scratch.path + "/card.json", "--", "sh", "-c", Program.naiveClient)
    #expect(result.status == 3)
    #expect(result.output.contains("X   no-duplicate-effect"))
    #expect(try scratch.read("card.xml").contains("<testsuite name=\"understudy.lost-ack.seed-7.default\""))
    let card = try scratch.read("card.json")
    #expect(card.contains("\"no-duplicate-effect\"") && card.contains("\"seed\": 7"))
    let lenient = try run(
      "--scenario", "lost-ack", "--seed", "7", "--fail-on", "never", "--", "sh", "-c", Program.naiveClient)
    #expect(lenient.status == 0)
  }

  @Test("sweeps over seeds, and lists those that fail", .enabled(if: ReadmeTests.hasCurl))
  func sweeps() throws {
    let result = try run("--scenario", "lost-ack", "--sweep", "8...10", "--", "sh", "-c", Program.naiveClient)
    #expect(result.status == 3)
    #expect(result.output.contains("3 seeds, 3 failing: 8, 9, 10"))
    #expect(try run("--sweep", "9...9", "--fail-on", "never", "--", "true").output.contains("1 seed, 0 failing"))
  }

  @Test(
    "reduces a failing scenario to the rule that causes the failure, and prints it or writes it into a file",
    .enabled(if: ReadmeTests.hasCurl), arguments: [false, true])
  func shrinks(intoFile: Bool) throws {
    let scratch = try ScratchDirectory()
    try scratch.write(
      """
      {"name": "three", "rules": [
        {"name": "slow", "effect": {"latency": "5ms"}},
        {"name": "guilty", "match": {"changes": true}, "when": {"nth": 2}, "phase": "after", "effect": {"fault": "reset"}},
        {"name": "users", "match": {"api": "users"}, "effect": {"status": 500}}]}
      """, to: "three.json")
    let options = ["--scenario", scratch.path + "/three.json", "--fail-on", "fail"]
    let shrink = intoFile ? ["--shrink-to", scratch.path + "/small.json"] : ["--shrink"]
    let result = try Program.run(options + shrink + ["--", "sh", "-c", Program.naiveClient]).result()
    #expect(result.status == 3)
    #expect(result.errors.contains("reduced to one rule"))
    #expect(result.output.contains("guilty") != intoFile)
    let small = intoFile ? try scratch.read("small.json") : result.output.components(separatedBy: "\n{").last ?? ""
    #expect(small.contains("\"guilty\"") && !small.contains("\"slow\"") && !small.contains("\"users\""))
    #expect(small.contains("\"name\": \"three, shrunk\""))
    #expect(small.contains("\"about\": \"1 of the 3 rules of three, which still fail with seed 1.\""))
  }

  @Test(
    "reduces a failing scenario to two rules far from each other, of which none fails alone",
    .enabled(if: ReadmeTests.hasCurl))
  func shrinksToTwo() throws {
    let scratch = try ScratchDirectory()
    let rules = ["/users", "/rooms.json", "/activities", "/devices"].map {
      #"{"name": "no \#($0)", "match": {"path": "\#($0)"}, "effect": {"status": 500}}"#
    }
    try scratch.write(#"{"name": "four", "rules": [\#(rules.joined(separator: ","))]}"#, to: "four.json")
    let client = """
      curl -sf -o /dev/null $UNDERSTUDY_URL/users || curl -sf -o /dev/null $UNDERSTUDY_URL/devices
      """
    let result = try run(
      "--scenario", scratch.path + "/four.json", "--shrink", "--fail-on", "never", "--", "sh", "-c", client)
    #expect(result.errors.contains("reduced to 2 rules"), "\(result)")
    let small = result.output.components(separatedBy: "\n{").last ?? ""
    #expect(small.contains(#""no /users""#) && small.contains(#""no /devices""#), "\(small)")
  }

  @Test("stops and continues the command with this program, as Ctrl-Z and fg ask")
  func suspends() async throws {
    // A single process: a shell that is stopped while it starts another waits for that, and does not show as stopped.
    let program = try Program.run(["--fail-on", "never", "--", "sh", "-c", "echo $$; exec sleep 600"])
    let command = try Program.process(try program.line())
    program.send(SIGTSTP)
    #expect(try await succeeds { try Program.stoppedCount(program.identifier, command) == 2 })
    program.send(SIGCONT)
    #expect(try await succeeds { try Program.stoppedCount(program.identifier, command) == 0 })
    program.terminate()
    #expect(try program.result().status == 143)
  }

  @Test("forwards SIGTERM, and still prints the report")
  func signals() throws {
    let program = try Program([
      "run", "--", "/bin/sh", "-c", "trap 'exit 7' TERM; echo ready; while :; do sleep 0.1; done",
    ])
    #expect(try program.line() == "ready")
    program.terminate()
    let result = try program.result()
    #expect(result.status == 7)
    #expect(result.output.contains("Report card"))
  }

  @Test(
    "exits with 64 for an invalid command line, of a report, too",
    arguments: [
      ["run"], ["run", "--"], ["run", "true"], ["run", "--sweep", "5...1", "--", "true"],
      ["run", "--fail-on", "maybe", "--", "true"], ["run", "--timeout", "5", "--", "true"],
      ["run", "--shrink", "--", "true"], ["run", "--scenario", "nope", "--", "true"],
      ["run", "--port", "70000", "--", "true"], ["run", "--port-file=p", "--", "true"],
      ["run", "--seed", "1", "--sweep", "1...2", "--", "true"], ["run", "--count", "5", "--", "true"],
      ["run", "--state", "/no/such/place", "--sweep", "1...2", "--", "true"],
      ["run", "--scenario", "lost-ack", "--report", "a.json", "--shrink-to", "a.json", "--", "true"],
      ["run", "--report", "card.pdf", "--", "true"],
      ["run", "--fail-on", "warn,idel", "--", "true"], ["report", "--merge", "--fail-on", "idel", "a.json"],
      ["report"], ["report", "a.json"], ["report", "--merge"], ["report", "--merge", "a.json", "a.json"],
      ["report", "--merge", "a.json", "--report", "b.json", "--junit", "b.json"],
      ["report", "--merge", "--from", "http://127.0.0.1:1", "a.json"], ["report", "--from", "127.0.0.1:1"],
      ["report", "--from", "https://127.0.0.1:1"], ["report", "--from", "http://h/?q"],
      ["report", "--from", "http://"],
      ["report", "--merge", "a.json", "--interim"], ["report", "--from", "http://h", "a.json"],
      ["report", "--merge", "a.json", "--seed", "1"],
    ])
  func refuses(words: [String]) throws {
    let result = try Program(words).result()
    #expect(result.status == 64)
    #expect(result.errors.split(separator: "\n").count == 1)
  }

  @Test("names the file that it cannot write")
  func files() throws {
    let result = try run("--junit", "/no/such/place/card.xml", "--", "true")
    #expect(result.status == 73)
    #expect(result.errors.contains("/no/such/place/card.xml"))
    let scratch = try ScratchDirectory()
    let directory = scratch.path + "/directory.json"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
    for index in ["/no/such/place/card.json", directory] {
      let early = try run("--report", index, "--", "touch", scratch.path + "/has-run")
      #expect(early.status == 73 && early.errors.contains(index))
    }
    #expect(throws: (any Error).self) { try scratch.read("has-run") }
  }
}

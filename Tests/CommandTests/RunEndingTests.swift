import Foundation
import LiveTesting
import Testing

/// Commands that hang, ignore signals or leave children behind.
@Suite("The end of understudy run", .live)
struct RunEndingTests {
  private func program(_ words: String...) throws -> Program { try Program.run(words) }

  @Test(
    "a signal stops a sweep, the files are still written, and the exit code names the signal",
    arguments: [SIGTERM, SIGINT, SIGQUIT] + (isHangUpIgnored ? [] : [SIGHUP]))
  func stopsSweep(signal: Int32) throws {
    let scratch = try ScratchDirectory()
    let program = try program(
      "--sweep", "1...100", "--fail-on", "never", "--junit", scratch.path + "/card.xml", "--report",
      scratch.path + "/card.json", "--", "sh",
      "-c", "echo began $UNDERSTUDY_SEED; [ $UNDERSTUDY_SEED = 3 ] && sleep 60; true")
    while try program.line() != "began 3" {}
    program.send(signal)
    let result = try program.result()
    #expect(result.status == 128 + signal)
    #expect(result.errors.contains("stopped after 2 of 100 seeds"))
    #expect(result.output.contains("2 seeds, 0 failing"))
    #expect(try scratch.read("card.xml").contains("understudy.calm.seed-2"))
    #expect(try scratch.read("card.json").contains("\"runs\""))
  }

  /// True if these tests run under `nohup`, like the programs that they then start.
  private static let isHangUpIgnored: Bool = {
    let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = status?.split(separator: "\n").first { $0.hasPrefix("SigIgn:") }
    let mask = line.flatMap { UInt64($0.dropFirst(7).trimmingCharacters(in: .whitespaces), radix: 16) }
    return mask.map { $0 & 1 == 1 } ?? false
  }()

  @Test("SIGHUP ends the command too, unless it is ignored", .disabled(if: isHangUpIgnored))
  func hangUp() throws {
    let script = "echo $$; sleep 60"
    let program = try program("--", "sh", "-c", script)
    let command = try Program.process(try program.line())
    program.send(SIGHUP)
    #expect(try program.result().status == 128 + SIGHUP)
    #expect(!Program.isRunning(command))
    let kept = try self.program(
      "--fail-on", "never", "--", "sh", "-c",
      "trap '' HUP; nohup \"$0\" run --fail-on never -- sh -c 'kill -HUP $PPID; echo done'",
      try Program.location().path)
    let result = try kept.result()
    #expect(result.status == 0 && result.output.contains("done"), "\(result)")
  }

  @Test(
    "the command gets the limit of descriptors, and the actions of signals, with which the program was started",
    arguments: [("", "", 128 + SIGXFSZ), ("; trap '' XFSZ PIPE", "both\n", 0)])
  func inherits(setting: String, output: String, status: Int32) throws {
    let command = "ulimit -Sn; kill -s XFSZ $$; kill -s PIPE $$; echo both"
    let script = "ulimit -Sn 200\(setting); exec \"$0\" run --fail-on never -- sh -c '\(command)'"
    let result = try Program.shell(script)
    #expect(result.output.hasPrefix("200\n" + output + "\nReport card"), "\(result)")
    #expect(result.status == status, "\(result)")
  }

  @Test("a run without a request fails and says why, unless --fail-on is never")
  func asksNothing() throws {
    let sentence = "The server got no request from the command; its client must use the address in $UNDERSTUDY_URL"
    let result = try program("--", "true").result()
    #expect(result.status == 3 && result.errors.contains(sentence + ", so the run fails"), "\(result)")
    let lenient = try program("--fail-on", "never", "--", "true").result()
    #expect(lenient.status == 0 && lenient.errors.contains(sentence + "\n"), "\(lenient)")
    let sweep = try program("--sweep", "1...2", "--", "true").result()
    #expect(sweep.status == 3 && sweep.output.contains("seed 2: failed without a request"), "\(sweep)")
    // The command's own failure goes before.
    let failed = try program("--", "sh", "-c", "exit 5").result()
    #expect(failed.status == 5 && failed.errors.contains(sentence + "\n"), "\(failed)")
  }

  @Test("a program that does not exist or cannot be executed gets a sentence, and the exit code that shells use")
  func missingProgram() throws {
    let scratch = try ScratchDirectory()
    try scratch.write("no program", to: "text")
    for (program, status, words) in [
      ("no-such-program", 127, "there is no program no-such-program in the directories of PATH"),
      ("/no/such/program", 127, "there is no program /no/such/program"),
      ("npm test", 127, "there is no program 'npm test'; give the words one by one: -- npm test"),
      ("sh -c /bin/true", 127, "there is no program 'sh -c /bin/true'; give the words one by one: -- sh -c /bin/true"),
      ("./my app/tool", 127, "there is no program './my app/tool', or its interpreter is missing"),
      ("DEBUG=1", 127, "there is no program DEBUG=1; env sets variables: -- env DEBUG=1 …"),
      ("DEBUG=1 npm test", 127, "give the words one by one, after env, which sets variables: -- env DEBUG=1 npm test"),
      ("./a=b/tool", 127, "there is no program ./a=b/tool, or its interpreter is missing"),
      (scratch.path + "/text", 126, "is not executable; chmod +x makes it so"),
      (scratch.path, 126, "is a directory, not a program"),
      (scratch.path + "/text/program", 126, "cannot be run: Not a directory"),
    ] as [(String, Int32, String)] {
      let result = try self.program("--", program).result()
      #expect(result.status == status && result.errors.contains(words), "\(result)")
      #expect(result.output == "", "a program that did not start says nothing about a client")
    }
  }

  @Test(
    "a run that --timeout cut does not blame its client for what it could not do any more",
    .enabled(if: ReadmeTests.hasCurl))
  func cutRun() throws {
    let scratch = try ScratchDirectory()
    try scratch.write(
      """
      {"name": "lost", "rules": [{"match": {"path": "/book"}, "phase": "after", "effect": {"fault": "reset"}}]}
      """, to: "lost.json")
    let client = "curl -s -d '{\"name\":\"Mina\"}' $UNDERSTUDY_URL/book; "
    func result(_ limit: [String], _ end: String) throws -> Program.Result {
      try Program.run(["--scenario", scratch.path + "/lost.json"] + limit + ["--", "sh", "-c", client + end]).result()
    }
    let whole = try result([], "true")
    #expect(whole.status == 3 && whole.output.contains("X   lost-reply-followed-up"), "\(whole)")
    try withTimeLimit { limit in
      let cut = try result(["--timeout", limit], "sleep 60")
      #expect(cut.status == 124 && !cut.output.contains("X   lost-reply-followed-up"), "\(cut)")
      return !cut.errors.contains("got no request") && cut.output.contains("1 exchange")
    }
  }

  @Test("a sweep exits with the code of its first failing seed, and --shrink reduces with that seed")
  func firstFailingSeed() throws {
    let scratch = try ScratchDirectory()
    try scratch.write(
      """
      {"name": "two", "rules": [
        {"name": "first", "when": {"chance": "1/2"}, "effect": {"status": 500}}, {"name": "second", "effect": {"status": 503}}]}
      """, to: "two.json")
    let script = """
      echo $UNDERSTUDY_SEED >> '\(scratch.path)/seeds'
      case $UNDERSTUDY_SEED in 3) exit 43;; 5) exit 45;; *) exit 0;; esac
      """
    let result = try program(
      "--scenario", scratch.path + "/two.json", "--sweep", "1...6", "--shrink", "--fail-on", "never", "--", "sh", "-c",
      script
    ).result()
    #expect(result.status == 43, "\(result)")
    let seeds = try scratch.read("seeds").split(separator: "\n")
    #expect(seeds.prefix(6) == ["1", "2", "3", "4", "5", "6"] && seeds.count > 6)
    #expect(seeds.dropFirst(6).allSatisfy { $0 == "3" }, "\(seeds)")
  }

  @Test("a signal stops --shrink, and the scenario as reduced so far is printed")
  func stopsShrinking() throws {
    let scratch = try ScratchDirectory()
    try scratch.write(
      """
      {"name": "two", "rules": [
        {"name": "first", "when": {"chance": "1/2"}, "effect": {"status": 500}}, {"name": "second", "effect": {"status": 503}}]}
      """, to: "two.json")
    // The command fails the first time, passes the second time (without rules), and hangs the third time.
    let script =
      "cd '\(scratch.path)'; [ -e 2 ] && echo third && sleep 60; [ -e 1 ] && touch 2 && exit 0; touch 1; exit 4"
    let program = try program("--scenario", scratch.path + "/two.json", "--shrink", "--", "sh", "-c", script)
    while try program.line() != "third" {}
    program.terminate()
    let result = try program.result()
    #expect(result.status == 143)
    #expect(result.errors.contains("stopped; reduced so far to 2 rules in 1 run"))
    #expect(result.output.contains("\"first\"") && result.output.contains("\"second\""))
  }

  @Test("a second signal kills a command that ignores the first, with its children")
  func escalates() throws {
    let child = "trap '' TERM; echo ready; while :; do sleep 0.2; done"
    let program = try program(
      "--", "sh", "-c", "trap 'echo caught' TERM; sh -c \"\(child)\" & while :; do sleep 0.2; done")
    #expect(try program.line() == "ready")
    program.terminate()
    // The kernel merges pending signals of one kind, so the second is sent when the first has reached the command.
    #expect(try program.line() == "caught")
    program.terminate()
    // The child holds the output, so that the result comes after its end.
    #expect(try program.result().status == 137)
  }

  @Test("--timeout kills a command that ignores SIGTERM after the grace period, with its children")
  func timeout() throws {
    try withTimeLimit { limit in
      let result = try program(
        "--timeout", limit, "--", "sh", "-c", "trap '' TERM; sleep 60 & echo $!; while :; do sleep 0.2; done"
      ).result()
      #expect(result.status == 124)
      guard let child = Int32(result.output.prefix { $0.isNumber }) else { return false }
      #expect(!Program.isRunning(child))
      return true
    }
  }

  @Test("a client that --timeout ends is not reported for giving up", .enabled(if: ReadmeTests.hasCurl))
  func endedClient() throws {
    let scratch = try ScratchDirectory()
    try scratch.write(
      """
      {"name": "silence", "rules": [{"name": "hang", "match": {"path": "/users"}, "effect": {"fault": "hang"}}]}
      """, to: "silence.json")
    let result = try program(
      "--scenario", scratch.path + "/silence.json", "--timeout", "1s", "--", "sh", "-c",
      "curl -s $UNDERSTUDY_URL/users"
    ).result()
    #expect(result.status == 124)
    #expect(
      result.output.contains("not exercised: ") && !result.output.contains("timeouts-sane  ")
        && !result.output.contains("given up after"))
  }

  @Test("a command at a terminal leaves no child behind", .enabled(if: hasScript))
  func terminal() throws {
    let scratch = try ScratchDirectory()
    let location = try Program.location().path
    let script = "sleep 60 & echo $! > \(scratch.path)/child; sleep 60"
    try withTimeLimit { limit in
      let command = "'\(location)' run --timeout \(limit) -- sh -c '\(script)'"
      let shell = try ChildProcess.run(
        URL(filePath: "/usr/bin/script"), ["-qec", command, "/dev/null"],
        environment: ["PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"])
      #expect(shell.status == 124)
      guard let text = try? scratch.read("child"), text.hasSuffix("\n") else { return false }
      #expect(!Program.isRunning(try Program.process(text)))
      return true
    }
  }

  @Test("a command that reads from the terminal gets its input", .enabled(if: hasScript))
  func reads() throws {
    let result = try Program.shell(
      #"""
      echo hello |
        script -qec "'$0' run --timeout 20s --fail-on never -- sh -c 'read -r word; echo got \$word'" /dev/null
      """#)
    #expect(result.output.contains("got hello"), "\(result)")
  }

  private static let hasScript = FileManager.default.isExecutableFile(atPath: "/usr/bin/script")

  @Test("the repeat line can be pasted into a shell, with its options and quotes")
  func repeats() throws {
    let scratch = try ScratchDirectory()
    let scenario = scratch.path + "/a bad 'day'.json"
    try scratch.write(#"{"name": "x", "rules": []}"#, to: "a bad 'day'.json")
    let result = try program(
      "--scenario", scenario, "--sweep", "4...4", "--timeout=20s", "--fail-on", "warn", "--log", "off", "--", "sh",
      "-c",
      "echo \"it's $UNDERSTUDY_SEED\"; exit 6"
    ).result()
    #expect(result.status == 6)
    let line = try #require(result.output.split(separator: "\n").first { $0.hasPrefix("repeat: ") }).dropFirst(8)
    #expect(line.contains("--timeout 20s --fail-on warn --log off --seed 4 --"))
    let shell = try ChildProcess.run(.shell, ["-c", String(line)])
    #expect(shell.status == 6)
    #expect(shell.output.hasPrefix("it's 4\n") && shell.output.contains("repeat: \(line)\n"))
  }

  @Test("the report's format depends on its file's name, and the report includes the command")
  func forms() throws {
    let scratch = try ScratchDirectory()
    for (name, start) in [
      ("x.html", "<!doctype html>"), ("x.xml", "<?xml"), ("x.txt", "seed 1: the command exited with 5\n"),
      ("x.json", "{"),
    ] {
      let result = try program(
        "--report", scratch.path + "/" + name, "--junit", scratch.path + "/junit.xml", "--", "sh", "-c", "exit 5"
      ).result()
      #expect(result.status == 5)
      #expect(try scratch.read(name).hasPrefix(start))
    }
    let json = try scratch.read("x.json")
    #expect(json.contains("\"exitCode\": 5") && json.contains("\"startedAt\": \"20"))
    #expect(json.contains(" --seed 1 -- sh -c 'exit 5'\""))
    #expect(try scratch.read("x.txt").contains("\ncommand: sh -c 'exit 5'\nstarted: 20"))
    let junit = try scratch.read("junit.xml")
    #expect(junit.contains("<property name=\"seed\" value=\"1\"/>"))
    #expect(junit.contains("<error message=\"the command exited with 5\" type=\"exit-5\">"))
  }

  @Test("understudy plan adds a remark for a path that no operation matches")
  func plan() throws {
    let result = try Program("plan", "--path", "/nope", "--count", "1").result()
    #expect(result.status == 0 && result.errors.contains("no operation matches GET /nope"))
    #expect(try Program("plan", "--count", "1").result().errors == "")
    let post = try Program("plan", "--method", "post", "--path", "/nope", "--count", "1").result()
    #expect(post.errors.contains("no operation matches POST /nope"), "\(post)")
  }
}

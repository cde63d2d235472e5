import Foundation
import LiveTesting
import Testing

@testable import UnderstudyCommand

@Suite("The output of understudy run", .live)
struct RunProofTests {
  private func run(_ words: String...) throws -> Program.Result { try run(words) }

  private func run(_ words: [String]) throws -> Program.Result { try Program.run(words).result() }

  @Test(
    "the report files have the entries that a verdict cites",
    .enabled(if: ReadmeTests.hasCurl))
  func entries() throws {
    let scratch = try ScratchDirectory()
    for name in ["card.json", "card.html"] {
      let result = try run(
        "--scenario", "lost-ack", "--report", scratch.path + "/" + name, "--", "sh", "-c", Program.naiveClient)
      #expect(result.status == 3)
    }
    let json = try scratch.read("card.json")
    #expect(json.contains("\"entries\": [") && json.contains(#""body": "{\"name\":\"Ljerka\"}""#))
    #expect(json.contains("\"Idempotency-Key\"") == false && json.contains("\"User-Agent\": \"curl"))
    let page = try scratch.read("card.html")
    #expect(page.contains("\"entries\":[{") && page.contains(#""body":"{\"name\":\"Ljerka\"}""#))
  }

  @Test(
    "the report files have the requests with a fault and their bodies, though no verdict cites them",
    .enabled(if: ReadmeTests.hasCurl), arguments: ["card.json", "card.html"])
  func faultedEntries(name: String) throws {
    let scratch = try ScratchDirectory()
    let client = """
      for i in 1 2; do curl -s -H 'Prefer: fault=wrong-type' $UNDERSTUDY_URL/users/1; curl -s $UNDERSTUDY_URL/users/2; done
      """
    let result = try run("--fail-on", "never", "--report", scratch.path + "/" + name, "--", "sh", "-c", client)
    #expect(result.status == 0)
    let file = try scratch.read(name)
    let list = try #require(file.components(separatedBy: "\"entries\":").last)
    let entries = try #require(list.components(separatedBy: "\"requests\":").first)
    #expect(entries.matches(of: #/"target": ?"\/users\/1"/#).count == 2, "\(entries)")
    #expect(entries.matches(of: #/"body": ?"\{[^}]*Leanne Graham/#).count == 2, "\(entries)")
    #expect(entries.matches(of: #/"target": ?"\/users\/2"/#).isEmpty, "\(entries)")
  }

  @Test("a run in which no rule took effect ends with a note, and fails with --fail-on idle")
  func idle() throws {
    let sentence = "No rule of lost-ack took effect: this run did not test any failure."
    let lenient = try run("--scenario", "lost-ack", "--fail-on", "never", "--", "true")
    #expect(lenient.status == 0 && lenient.output.hasSuffix(sentence + "\n"))
    for word in ["idle", "never,idle"] {
      let strict = try run("--scenario", "lost-ack", "--fail-on", word, "--", "true")
      #expect(strict.status == 3 && strict.output.contains(sentence + "\nrepeat: "))
    }
    let sweep = try run("--scenario", "lost-ack", "--sweep", "1...2", "--fail-on", "never", "--", "true")
    #expect(sweep.status == 0 && sweep.output.contains("seed 2: passed; no rule took effect\n"))
  }

  @Test("a run of a scenario without rules says that there is none")
  func calm() throws {
    let result = try run("--fail-on", "never", "--", "true")
    #expect(result.output.hasSuffix("There is no rule in calm: this run did not test any failure.\n"), "\(result)")
  }

  @Test("a run in which a rule took effect is not idle", .enabled(if: ReadmeTests.hasCurl))
  func notIdle() throws {
    let result = try run(
      "--scenario", "original", "--fail-on", "never,idle", "--", "sh", "-c", "curl -s $UNDERSTUDY_URL/devices")
    #expect(result.status == 0 && !result.output.contains("took effect:"))
  }

  @Test("--clients one takes all requests without a name for one client's", .enabled(if: ReadmeTests.hasCurl))
  func oneClient() throws {
    let client = """
      for i in 1 2 3 4; do curl -s -A "app/$i" -d '{"name":"Ljerka"}' $UNDERSTUDY_URL/book; done; true
      """
    for (options, mark) in [([], "!"), (["--clients", "one"], "X")] {
      let result = try run(["--scenario", "lost-ack"] + options + ["--", "sh", "-c", client])
      #expect(result.output.contains("\n\(mark)   no-duplicate-effect"), "\(result)")
    }
  }

  @Test("requests that are pending when the command exits are judged", .enabled(if: ReadmeTests.hasCurl))
  func pending() throws {
    let scratch = try ScratchDirectory()
    let scenario = #"{"name":"slow","rules":[{"match":{"changes":true},"effect":{"latency":"700ms"}}]}"#
    try scenario.write(toFile: scratch.path + "/slow.json", atomically: true, encoding: .utf8)
    let client = """
      for i in 1 2; do curl -s -m 0.2 -A app -d '{"name":"Mina"}' "$UNDERSTUDY_URL/book"; done; true
      """
    let result = try run("--scenario", scratch.path + "/slow.json", "--", "sh", "-c", client)
    #expect(result.status == 3 && result.output.contains("no-duplicate-effect"), "\(result)")
    #expect(!result.errors.contains("got no request") && !result.output.contains("took effect:"))
  }

  @Test(
    "what fails a run without a failed check fails a case of JUnit, and of that of a merge",
    arguments: [
      (["--"], "requests", 1), (["--fail-on", "idle", "--"], "faults", 2),
      (["--fail-on", "never,idle", "--"], "faults", 1), (["--sweep", "1...3", "--"], "requests", 3),
    ])
  func requirements(options: [String], id: String, failures: Int) throws {
    let scratch = try ScratchDirectory()
    let files = ["--junit", scratch.path + "/run.xml", "--report", scratch.path + "/run.json"]
    let failed = try run(["--scenario", "lost-ack"] + files + options + ["true"])
    #expect(failed.status == 3)
    let merge = ["report", "--merge", scratch.path + "/run.json", "--junit", scratch.path + "/merged.xml"]
    #expect(try Program(merge).result().status == 3)
    for name in ["run.xml", "merged.xml"] {
      let xml = try scratch.read(name)
      #expect(xml.contains("failures=\"\(failures)\" errors=\"0\" time"), "\(name): \(xml)")
      #expect(xml.contains("name=\"\(id)\" time=\"0\"><failure message=\""), "\(name): \(xml)")
      #expect(!xml.contains(".default\""), "\(name) has the unused sandbox: \(xml)")
    }
  }

  @Test("a run that meets its requirements has them as passed cases", .enabled(if: ReadmeTests.hasCurl))
  func metRequirements() throws {
    let scratch = try ScratchDirectory()
    let options = ["--scenario", "original", "--junit", scratch.path + "/run.xml", "--fail-on", "idle"]
    let client = "curl -s $UNDERSTUDY_URL/devices"
    #expect(try run(options + ["--", "sh", "-c", client]).status == 0)
    let xml = try scratch.read("run.xml")
    let cases = xml.split(separator: "\n").filter { $0.contains("classname=\"understudy.original.seed-1\"") }
    #expect(cases.count == 3 && cases.allSatisfy { $0.hasSuffix("></testcase>") }, "\(cases)")
    for (line, id) in zip(cases, ["command", "requests", "faults"]) { #expect(line.contains("name=\"\(id)\"")) }
    #expect(xml.contains("failures=\"0\" errors=\"0\""))
  }

  @Test("the JUnit file has the duration of the command")
  func times() throws {
    let scratch = try ScratchDirectory()
    let words = ["--junit", scratch.path + "/card.xml", "--fail-on", "never", "--", "sh", "-c", "sleep 0.2"]
    #expect(try run(words).status == 0)
    let xml = try scratch.read("card.xml")
    let time = xml.split(separator: "name=\"command\" time=\"").dropFirst().first.flatMap { rest in
      Double(rest.prefix { $0 != "\"" })
    }
    #expect(try #require(time) >= 0.2)
  }

  @Test("--sweep with --shrink-to names the seed that fails the written scenario", .enabled(if: ReadmeTests.hasCurl))
  func shrinksSweepToFile() throws {
    let scratch = try ScratchDirectory()
    try scratch.write(
      #"{"name": "two", "rules": [{"name": "a", "when": {"chance": "1/1"}, "effect": {"status": 500}}, {"name": "b", "effect": {"status": 503}}]}"#,
      to: "two.json")
    let file = scratch.path + "/small.json"
    let client = #"case $UNDERSTUDY_SEED in 5) curl -sf $UNDERSTUDY_URL/devices || exit 9;; esac"#
    let result = try run(
      "--scenario", scratch.path + "/two.json", "--sweep", "4...6", "--shrink-to", file, "--fail-on", "never", "--",
      "sh", "-c", client)
    #expect(result.status == 9 && result.errors.contains("\(file); it fails with --seed 5\n"), "\(result)")
  }

  @Test("a sweep prints its progress")
  func progress() {
    #expect(Progress.ofSweep(seed: 7, done: 4, count: 100, failing: 0) == "seed 7, 5 of 100")
    #expect(Progress.ofSweep(seed: 9, done: 9, count: 10, failing: 2) == "seed 9, 10 of 10, 2 failing so far")
  }
}

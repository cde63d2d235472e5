import Foundation
import LiveTesting
import Testing

@Suite("understudy report --merge", .live)
struct ReportMergeTests {
  private func run(_ words: String...) throws -> Program.Result {
    try Program(words, environment: ["PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin"]).result()
  }

  @Test("merges the cards of two shards into one card, page and JUnit file", .enabled(if: ReadmeTests.hasCurl))
  func merges() throws {
    let scratch = try ScratchDirectory()
    let (good, bad) = (scratch.path + "/good.json", scratch.path + "/bad.json")
    #expect(try run("run", "--report", good, "--", "sh", "-c", "curl -s $UNDERSTUDY_URL/devices").status == 0)
    let naive = try run("run", "--scenario", "lost-ack", "--report", bad, "--", "sh", "-c", Program.naiveClient)
    #expect(naive.status == 3)

    let (page, junit) = (scratch.path + "/all.html", scratch.path + "/all.xml")
    let merged = try run("report", "--merge", good, bad, "--report", page, "--junit", junit)
    #expect(merged.status == 3)
    #expect(merged.output.hasPrefix("Report card: 2 cards, 2 files"))
    #expect(merged.output.contains("sandbox default of \(bad), seed 1: no-duplicate-effect"))
    #expect(try scratch.read("all.html").contains("\"source\":\"\(bad)\""))
    #expect(try scratch.read("all.xml").contains("<testsuite name=\"understudy.\(bad).lost-ack.seed-1.default\""))
    #expect(try run("report", "--merge", good).status == 0)
    #expect(try run("report", "--merge", "--fail-on", "never", good, bad).status == 0)
  }

  @Test("exits with the code of a command even if a card before it fails", .enabled(if: ReadmeTests.hasCurl))
  func commandBeforeCard() throws {
    let scratch = try ScratchDirectory()
    let (bad, failed) = (scratch.path + "/bad.json", scratch.path + "/failed.json")
    #expect(
      try run("run", "--scenario", "lost-ack", "--report", bad, "--", "sh", "-c", Program.naiveClient).status == 3)
    #expect(try run("run", "--report", failed, "--", "sh", "-c", "exit 5").status == 5)
    #expect(try run("report", "--merge", bad, failed).status == 5)
    #expect(try run("report", "--merge", bad).status == 3)
  }

  @Test("is partial if one of the cards is", .enabled(if: ReadmeTests.hasCurl))
  func partial() throws {
    let scratch = try ScratchDirectory()
    let (whole, cut, all) = (scratch.path + "/whole.json", scratch.path + "/cut.json", scratch.path + "/all.json")
    #expect(try run("run", "--report", whole, "--", "sh", "-c", "curl -s $UNDERSTUDY_URL/devices").status == 0)
    try scratch.write(
      scratch.read("whole.json").replacing("\"partial\": false", with: "\"partial\": true"), to: "cut.json")
    for files in [[whole, cut], [cut, whole]] {
      let merged = try Program(["report", "--merge", "--report", all] + files).result()
      #expect(merged.status == 0 && merged.output.contains("The journal is partial"), "\(merged)")
      #expect(try scratch.read("all.json").contains("\"partial\": true,\n  \"checks\""))
    }
    #expect(try run("report", "--merge", whole).output.contains("partial") == false)
  }

  @Test("a warning about the run fails no merge, and is counted apart", .enabled(if: ReadmeTests.hasCurl))
  func runWarnings() throws {
    let scratch = try ScratchDirectory()
    let file = scratch.path + "/idle.json"
    let scenario = #"{"name":"later","rules":[{"when":{"from":"1h"},"effect":{"status":503}}]}"#
    try scratch.write(scenario, to: "later.json")
    let idle = try run(
      "run", "--scenario", scratch.path + "/later.json", "--fail-on", "warn", "--report", file, "--junit",
      scratch.path + "/idle.xml", "--",
      "sh", "-c", "curl -s $UNDERSTUDY_URL/devices")
    #expect(idle.status == 0 && idle.output.contains(". Of the run: faults-delivered warn.\n"), "\(idle)")
    #expect(try scratch.read("idle.xml").contains("failures=\"0\" errors=\"0\" time"))
    let merged = try run("report", "--merge", "--fail-on", "warn", file)
    #expect(merged.status == 0 && merged.output.contains(". Of the run: faults-delivered warn.\n"), "\(merged)")
  }

  @Test("counts the faults of each card, and --fail-on idle demands one", .enabled(if: ReadmeTests.hasCurl))
  func idle() throws {
    let scratch = try ScratchDirectory()
    let (idle, hit) = (scratch.path + "/idle.json", scratch.path + "/hit.json")
    let scenario =
      #"{"name":"late","rules":[{"match":{"path":"/devices"},"when":{"until":"1h"},"effect":{"latency":"5ms"}}]}"#
    try scratch.write(scenario, to: "late.json")
    for (file, path, count) in [(idle, "users", 0), (hit, "devices", 1)] {
      let script = "curl -s $UNDERSTUDY_URL/\(path)"
      let made = try run(
        "run", "--scenario", scratch.path + "/late.json", "--report", file, "--", "sh", "-c", script)
      #expect(made.status == 0, "\(made)")
      #expect(try scratch.read(file == idle ? "idle.json" : "hit.json").contains("\"faults\": \(count),"))
    }
    let sentence = "No fault took effect in any of these runs.\n"
    let strict = try run("report", "--merge", "--fail-on", "idle", idle)
    #expect(strict.status == 3 && strict.output.hasSuffix(sentence), "\(strict)")
    #expect(try run("report", "--merge", "--fail-on", "never", idle).status == 0)
    for words in [["--fail-on", "idle", idle, hit], ["--fail-on", "never,idle", hit]] {
      let lenient = try Program(["report", "--merge"] + words).result()
      #expect(lenient.status == 0 && !lenient.output.contains(sentence), "\(lenient)")
    }
  }

  @Test("gives the verdict about the clients of a running server", .enabled(if: ReadmeTests.hasCurl))
  func fromServer() throws {
    let scratch = try ScratchDirectory()
    try scratch.write(
      #"{"name":"lost","rules":[{"match":{"path":"/book"},"phase":"after","effect":{"fault":"reset"}}]}"#,
      to: "lost.json")
    let server = try Program(
      "--port", "0", "--scenario", scratch.path + "/lost.json", "--admin-token", "secret-token")
    let url = try server.line().replacing("listening on ", with: "")
    let token = ["--admin-token", "secret-token"]
    func report(_ url: String, _ options: [String]) throws -> Program.Result {
      try Program(["report", "--from", url] + options).result()
    }
    let silent = try report(url, token)
    #expect(silent.status == 3 && silent.output.contains("\nThe server got no request"), "\(silent)")
    try checkUnused(report(url, token + ["--junit", scratch.path + "/silent.xml"]), scratch.read("silent.xml"))
    #expect(silent.output.hasPrefix("Report card: 1 card, scenario lost, seed 1, 0 exchanges\n"), "\(silent)")
    let shell = ["PATH": "/usr/bin:/bin"]
    _ = try ChildProcess.run(.shell, ["-c", "curl -s \(url)/devices"], environment: shell)
    let idle = try report(url, token + ["--fail-on", "idle"])
    #expect(idle.status == 3 && idle.output.hasSuffix("No fault took effect in any of these runs.\n"), "\(idle)")
    #expect(try report(url, token).status == 0, "without idle the same card passes")
    let client = "curl -s -d '{\"name\":\"Mina\"}' \(url)/book; true"
    _ = try ChildProcess.run(.shell, ["-c", client], environment: shell)
    let final = try report(url + "/", token)
    #expect(final.status == 3 && final.output.contains("X   lost-reply-followed-up"), "\(final)")
    #expect(try report(url, token + ["--interim"]).status == 0)
    #expect(try report(url, token + ["--fail-on", "never"]).status == 0)
    #expect(try report(url, token + ["--fail-on", "never,idle"]).status == 0)
    let junit = try report(url + "/@default", token + ["--junit", scratch.path + "/card.xml"])
    #expect(junit.status != 0)
    let refused = try report(url, [])
    #expect(refused.status == 69 && refused.errors.contains("401") && refused.errors.contains("UNDERSTUDY_ADMIN_TOKEN"))
    let environment = ["UNDERSTUDY_ADMIN_TOKEN": "secret-token"]
    #expect(try Program(["report", "--from", url], environment: environment).result().status == 3)
    let unknown = try report(url + "/@missing", token)
    #expect(unknown.status == 69 && unknown.errors.contains("answered 404"), "\(unknown)")
    server.terminate()
    #expect(try server.result().status == 0)
    #expect(try report(url, token).status == 69)
  }

  private func checkUnused(_ result: Program.Result, _ xml: String) {
    #expect(result.status == 3)
    #expect(xml.contains("failures=\"1\" errors=\"0\" time") && !xml.contains(".default"), "\(xml)")
    #expect(xml.contains("name=\"requests\" time=\"0\"><failure message=\"The server got no request"), "\(xml)")
  }

  @Test("JUnit of a server has its used sandboxes, by names that stay the same", .enabled(if: ReadmeTests.hasCurl))
  func serverSuites() throws {
    let scratch = try ScratchDirectory()
    var names: [[String]] = []
    for _ in 1...2 {
      let server = try Program("--port", "0", "--scenario", "lost-ack")
      let url = try server.line().replacing("listening on ", with: "")
      let client = """
        curl -s -d '{"name":"ci-1","scenario":"lost-ack"}' \(url)/_mock/sandboxes; curl -s \(url)/@ci-1/users
        """
      _ = try ChildProcess.run(.shell, ["-c", client], environment: ["PATH": "/usr/bin:/bin"])
      let words = ["report", "--from", url, "--fail-on", "idle", "--junit", scratch.path + "/card.xml"]
      #expect(try Program(words).result().status == 3)
      let xml = try scratch.read("card.xml")
      #expect(xml.contains("name=\"faults\" time=\"0\"><failure message=\"No fault took effect"), "\(xml)")
      let suites = xml.components(separatedBy: "<testsuite name=\"").dropFirst()
      names.append(suites.map { String($0.prefix { $0 != "\"" }) })
      server.terminate()
    }
    #expect(names == Array(repeating: ["understudy.report", "understudy.lost-ack.ci-1"], count: 2))
  }

  @Test("refuses a missing file, invalid JSON and a file without cards, and names the file")
  func refuses() throws {
    let scratch = try ScratchDirectory()
    try scratch.write("{\"runs\": ", to: "cut.json")
    try scratch.write("[]", to: "other.json")
    for name in ["missing.json", "cut.json", "other.json"] {
      let result = try run("report", "--merge", scratch.path + "/" + name)
      #expect(result.status == 64)
      #expect(result.errors.hasPrefix("understudy: \(scratch.path)/\(name)"))
      #expect(result.output == "")
    }
  }
}

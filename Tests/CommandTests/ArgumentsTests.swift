import Contract
import ControlAPI
import Report
import Testing
import Understudy

@testable import UnderstudyCommand

@Suite("The command line")
struct ArgumentsTests {
  private func settings(_ words: String..., environment: [String: String] = [:]) throws -> Settings {
    guard case .serve(let settings) = try Arguments(words, environment: environment) else {
      throw UsageError("not serve")
    }
    return settings
  }

  private func refusal(_ words: String..., environment: [String: String] = [:]) -> String? {
    refusal(of: words, environment: environment)
  }

  private func refusal(of words: [String], environment: [String: String] = [:]) -> String? {
    do throws(UsageError) {
      _ = try Arguments(words, environment: environment)
      return nil
    } catch {
      return error.message
    }
  }

  @Test("serves at port 8080 of both loopback addresses without options")
  func defaults() throws {
    let settings = try settings()
    #expect(settings.options.port == 8080)
    #expect(settings.options.host == nil, "both loopback addresses")
    #expect(settings.options.apiPorts == nil)
    #expect(settings.options.log == .off)
    #expect(settings.portFile == nil)
    #expect(try self.settings("serve").options.port == 8080)
  }

  @Test("takes each option and its value as two words or as one")
  func everyFlag() throws {
    let apart = try settings(
      "serve", "--host", "::1", "--port", "0", "--api-ports", "9000", "--data", "d", "--watch", "--port-file", "p",
      "--log", "json", "--admin-token", "t")
    let joined = try settings(
      "--host=::1", "--port=0", "--api-ports=9000", "--data=d", "--watch", "--port-file=p", "--log=json",
      "--admin-token=t")
    for settings in [apart, joined] {
      #expect(settings.options.host == "::1")
      #expect(settings.options.port == 0)
      #expect(settings.options.apiPorts == 9000)
      #expect(settings.options.dataDirectory == "d")
      #expect(settings.options.watchesData)
      #expect(settings.portFile == "p")
      #expect(settings.options.log == .json)
      #expect(settings.options.adminToken == "t")
    }
    #expect(try settings("--admin-token=a=b").options.adminToken == "a=b")
  }

  @Test("takes environment variables in place of options that are not given")
  func environment() throws {
    let environment = ["UNDERSTUDY_HOST": "::1", "HOST": "conda", "PORT": "9"]
    #expect(try settings(environment: environment).options.host == "::1")
    #expect(try settings(environment: environment).options.port == 9)
    #expect(try settings("--port", "10", environment: environment).options.port == 10)
    #expect(try settings(environment: ["PORT": ""]).options.port == 8080)
    #expect(try settings("--port", "10", environment: ["PORT": "abc"]).options.port == 10)
    #expect(
      refusal(environment: ["PORT": "abc"])
        == "the environment variable PORT: abc: expected a port from 0 to 65535", "the command line has no --port")
  }

  @Test("of a health check takes the address of the container's server, however that was set")
  func healthOfContainer() throws {
    func address(_ words: [String], _ server: [String], _ environment: [String: String] = [:]) throws -> String {
      guard case .health(let settings) = try Arguments(words, environment: environment, server: server) else {
        return ""
      }
      return "\(settings.options.host ?? "-") \(settings.options.port)"
    }
    #expect(try address(["health"], ["--port", "9000", "--host", "10.0.0.2"]) == "10.0.0.2 9000")
    #expect(
      try address(["health"], ["serve", "--port=9000"], ["UNDERSTUDY_HOST": "0.0.0.0", "PORT": "1"]) == "0.0.0.0 9000")
    #expect(try address(["health", "--port", "1"], ["--port", "9000"]) == "- 1")
    #expect(try address(["health"], ["run", "--", "true"]) == "- 8080")
    #expect(try address(["health"], ["--frobnicate"], ["PORT": "2"]) == "- 2")
  }

  @Test(
    "of a container's first process has the server's words behind its name, also if an init process starts it",
    arguments: [
      ("/usr/bin/understudy|--port|9000|", ["--port", "9000"]), ("tini|--|understudy|serve|", ["serve"]),
      ("understudy|", []), ("sleep|9000|", []),
    ])
  func wordsOfServer(line: String, words: [String]) {
    let bytes = Array(line.replacing("|", with: "\0").utf8)
    #expect(Environment.server(in: bytes) == words)
  }

  @Test("takes at most 100000 seeds")
  func longestSweep() {
    #expect(refusal("run", "--sweep", "1...100000", "--", "true") == nil)
    #expect(
      refusal("run", "--sweep", "0...100000", "--", "true") == "--sweep 0...100000: at most 100000 seeds at once")
  }

  @Test("is refused for an unknown option, with the nearest known one as a suggestion")
  func unknown() {
    #expect(
      refusal("run", "--report", "a.xml", "--junit=a.xml", "--", "true")
        == "--report and --junit name the same file, a.xml")
    #expect(refusal("--prot", "1") == "unknown option --prot, did you mean --port?; see understudy --help")
    #expect(refusal("--pot=1")?.contains("did you mean --port?") == true)
    #expect(refusal("--frobnicate") == "unknown option --frobnicate; see understudy --help")
    #expect(refusal("serv") == "unknown command serv, did you mean serve?; see understudy --help")
  }

  @Test(
    "is refused for an option with two values, because the second would replace the first",
    arguments: [
      ["run", "--report", "a.xml", "--report=b.json", "--", "true"], ["--port", "1", "--port", "1"],
      ["serve", "--scenario=calm", "--scenario=train"], ["plan", "--path", "/a", "--path", "/b"],
      ["health", "--port", "1", "--port", "2"], ["report", "--merge", "--junit", "a", "--junit", "b", "c.json"],
      ["scenario", "--from", "a", "--from", "b"], ["--admin-token", "secret", "--admin-token", "other"],
    ])
  func twice(words: [String]) throws {
    let option = try #require(
      words.dropFirst(words[0].hasPrefix("-") ? 0 : 1).first { $0.hasPrefix("--") && $0 != "--merge" })
    let name = String(option.prefix { $0 != "=" })
    #expect(refusal(of: words) == "\(name) is given twice, but it has one value")
  }

  @Test(
    "takes each word after -- for an operand",
    arguments: [
      ["check", "--", "-odd.json", "--help"], ["report", "--merge", "--", "-odd.json", "--help"],
      ["check", "a.json", "--", "--"], ["report", "--merge", "a.json", "--", "--"],
    ])
  func endOfOptions(words: [String]) throws {
    let operands =
      switch try Arguments(words) {
      case .check(let settings): settings.checkedFiles
      case .report(let settings): settings.cardFiles
      default: [String]()
      }
    #expect(operands == words.filter { $0.hasSuffix(".json") } + [words.last ?? ""])
  }

  @Test("takes one operand after -- where one is expected, and no option before it")
  func oneOperand() throws {
    guard case .scenarios("train") = try Arguments(["scenarios", "--", "train"]) else { throw UsageError("no name") }
    guard case .schema = try Arguments(["schema", "--", "journal"]) else { throw UsageError("no schema") }
    guard case .completions(.bash) = try Arguments(["completions", "--", "bash"]) else { throw UsageError("no shell") }
    guard case .conform(let settings) = try Arguments(["conform", "--", "http://a"]) else { throw UsageError("no URL") }
    #expect(settings.urls == ["http://a"])
    #expect(refusal("check", "--quiet", "a.json") == "unknown option --quiet; see understudy --help")
    #expect(refusal("scenarios", "--json") == "scenarios takes no options; found --json")
    #expect(refusal("check", "--")?.contains("check needs a file") == true)
    #expect(refusal("scenarios", "--", "train", "edge") == "scenarios takes one name; found edge")
  }

  @Test("takes an option in place of the environment variable, and a flag without a value twice")
  func notTwice() throws {
    #expect(try settings("--port", "10", environment: ["PORT": "9"]).options.port == 10)
    #expect(throws: Never.self) { try settings("--data", "d", "--watch", "--watch") }
  }

  @Test(
    "is refused for an invalid port, with the option and the range",
    arguments: ["-1", "65536", "abc", "+80", "8 0", "99999999999999999999", "1.5"])
  func badPorts(value: String) {
    #expect(refusal("--port", value) == "--port \(value): expected a port from 0 to 65535")
    #expect(refusal("--api-ports=\(value)") == "--api-ports \(value): expected a port from 0 to 65535")
  }

  @Test("takes a first port of the APIs up to the last one that leaves ports for all")
  func lastPorts() throws {
    #expect(try settings("--api-ports", "65531").options.apiPorts == 65_531)
  }

  @Test("is refused for a seed that JSON cannot express exactly")
  func seeds() throws {
    #expect(try settings("--seed", "9007199254740991").options.seed == 9_007_199_254_740_991)
    for value in ["9007199254740992", "18446744073709551616", "-1", "x"] {
      #expect(refusal("--seed", value) == "--seed \(value): expected a number from 0 to 9007199254740991")
    }
  }

  @Test("sets the port of run, which is a free one otherwise", arguments: [([], 0), (["--port", "9000"], 9_000)])
  func portOfRun(words: [String], port: Int) throws {
    guard case .run(let settings) = try Arguments(["run"] + words + ["--", "true"]) else {
      Issue.record("it is a run")
      return
    }
    #expect(settings.options.port == port)
  }

  @Test("leaves the words after -- to the command", arguments: ["--help", "-h", "--version"])
  func wordsOfCommand(word: String) throws {
    guard case .run = try Arguments(["run", "--", "true", word]) else {
      Issue.record("\(word) was taken for an option")
      return
    }
  }

  @Test("is refused in one line for an invalid value or combination of options")
  func refusals() {
    #expect(refusal("--api-ports", "65532")?.contains("greater than 65535") == true)
    #expect(refusal("--port") == "--port needs a value: --port N")
    #expect(refusal("--port=") == "--port needs a value: --port N")
    #expect(refusal("--scenario", "--seed", "7") == "--scenario needs a value: --scenario NAME|FILE")
    #expect(refusal("--watch=yes", "--data", "d") == "--watch takes no value")
    #expect(refusal("--watch")?.contains("--data") == true)
    #expect(refusal("--log", "xml")?.contains("text, json or off") == true)
    #expect(refusal("openapi", "--port")?.contains("takes no options") == true)
    let names = "scenario, journal, semantics, report, devices, activities, house, users, booking, exploration"
    #expect(refusal("schema", "reports") == "unknown schema reports, did you mean report?; expected one of \(names)")
    #expect(refusal("schema", "zebra") == "unknown schema zebra; expected one of \(names)")
    for words in [["schema"], ["schema", "report", "users"]] {
      #expect(throws: UsageError("schema takes one name, one of \(names): understudy schema scenario")) {
        try Arguments(words)
      }
    }
    for message in [refusal("--watch"), refusal("--log", "xml"), refusal("--x")] {
      #expect(message?.contains("\n") == false)
    }
  }

  @Test("is refused with the command line that was probably meant")
  func meant() {
    #expect(
      refusal("run", "npm", "test") == "run needs a command after --: understudy run -- npm test")
    #expect(
      refusal("run", "--seed", "7", "--shrink", "npm", "test")
        == "run needs a command after --: understudy run --seed 7 --shrink -- npm test")
    #expect(refusal("run", "--seed=7")?.hasSuffix(": understudy run --scenario lost-ack -- swift test") == true)
    #expect(refusal("scenario", "lost-ack")?.contains("understudy scenarios lost-ack prints") == true)
    #expect(refusal("report", "a.json", "b.json")?.hasSuffix("understudy report --merge a.json b.json") == true)
    let report = refusal("report", "--from", "http://localhost:8080/_mock/report")
    #expect(report?.hasSuffix("without /_mock: http://localhost:8080") == true)
    let sandbox = refusal("report", "--from", "http://localhost:8080/@ci/_mock/")
    #expect(sandbox?.hasSuffix("without /_mock: http://localhost:8080/@ci") == true)
    for (part, reason) in [
      ("/a b", "percent-encoded"), ("/ü", "percent-encoded"), ("/@ci?a", "query"), ("/@ci#a", "fragment"),
    ] {
      let path = refusal("report", "--from", "http://localhost:8080\(part)")
      #expect(
        path?.hasPrefix("--from http://localhost:8080\(part): ") == true && path?.contains(reason) == true, "\(part)")
    }
    #expect(refusal("report", "--from", "http://localhost:8080/@ci/_mockups") == nil)
    #expect(
      refusal("run", "sh", "-c", "echo $HOME") == "run needs a command after --: understudy run -- sh -c 'echo $HOME'")
    #expect(refusal("report", "my card.json")?.hasSuffix("understudy report --merge 'my card.json'") == true)
    #expect(refusal("scenario", "it's")?.contains(#"understudy scenarios 'it'\''s' prints"#) == true)
    #expect(
      refusal("run", "--shrink", "--scenario", "calm", "--", "true")
        == "--shrink needs a --scenario with rules: calm has none to remove")
  }

  @Test("prints help or the version even if other words are invalid")
  func help() throws {
    for words in [["--help"], ["-h"], ["help"], ["serve", "--bad", "--help"]] {
      guard case .help = try Arguments(words) else {
        Issue.record("\(words) is no call for help")
        continue
      }
    }
    #expect(refusal("help", "paln") == "unknown command paln, did you mean plan?; see understudy --help")
    #expect(refusal("nonsense", "--help") == "unknown command nonsense; see understudy --help")
    for words in [["plan", "--help"], ["help", "plan"]] {
      guard case .help(let command?) = try Arguments(words) else { throw UsageError("no help of plan") }
      #expect(command.name == "plan" && Help.text(of: command).contains("--count N"))
    }
    for word in ["--version", "version", "-v"] {
      guard case .version = try Arguments([word]) else { throw UsageError("no version for \(word)") }
    }
    guard case .openapi = try Arguments(["openapi"]) else { throw UsageError("no document") }
    guard case .schema(let schema) = try Arguments(["schema", "journal"]) else { throw UsageError("no schema") }
    #expect(schema.name == "journal")
  }

  @Test("has a help that names every option and fits in the columns of a terminal", arguments: [60, 72, 80, 100])
  func helpText(columns: Int) {
    let style = TextStyle(width: columns)
    let text = Help.text(style)
    for line in text.split(separator: "\n") { #expect(line.count <= columns, "\(line)") }
    for command in Command.all {
      #expect(text.contains("  understudy " + command.usage))
      for flag in command.flags { #expect(text.contains(flag.name)) }
      for line in Help.text(of: command, style).split(separator: "\n") { #expect(line.count <= columns, "\(line)") }
    }
  }
}

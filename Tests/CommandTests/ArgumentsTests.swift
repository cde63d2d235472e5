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
    do throws(UsageError) {
      _ = try Arguments(words, environment: environment)
      return nil
    } catch {
      return error.message
    }
  }

  @Test("without options it serves at port 8080 of 127.0.0.1")
  func defaults() throws {
    let settings = try settings()
    #expect(settings.options.port == 8080)
    #expect(settings.options.host == "127.0.0.1")
    #expect(settings.options.apiPorts == nil)
    #expect(settings.options.log == .off)
    #expect(settings.portFile == nil)
    #expect(try self.settings("serve").options.port == 8080)
  }

  @Test("every option works, as two words and as one")
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

  @Test("environment variables replace options that are not given")
  func environment() throws {
    let environment = ["HOST": "::1", "PORT": "9"]
    #expect(try settings(environment: environment).options.host == "::1")
    #expect(try settings(environment: environment).options.port == 9)
    #expect(try settings("--port", "10", environment: environment).options.port == 10)
    #expect(try settings(environment: ["PORT": ""]).options.port == 8080)
    #expect(try settings("--port", "10", environment: ["PORT": "abc"]).options.port == 10)
    #expect(refusal(environment: ["PORT": "abc"])?.contains("environment variable PORT") == true)
  }

  @Test("an unknown option is named, and the nearest known one is suggested")
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
    "a bad port is refused with its flag and the range",
    arguments: ["-1", "65536", "abc", "+80", "8 0", "99999999999999999999", "1.5"])
  func badPorts(value: String) {
    #expect(refusal("--port", value) == "--port \(value): expected a port from 0 to 65535")
    #expect(refusal("--api-ports=\(value)") == "--api-ports \(value): expected a port from 0 to 65535")
  }

  @Test("a seed is a number that JSON can say")
  func seeds() throws {
    #expect(try settings("--seed", "9007199254740991").options.seed == 9_007_199_254_740_991)
    for value in ["9007199254740992", "18446744073709551616", "-1", "x"] {
      #expect(refusal("--seed", value) == "--seed \(value): expected a number from 0 to 9007199254740991")
    }
  }

  @Test("the words after -- belong to the command", arguments: ["--help", "-h", "--version"])
  func wordsOfCommand(word: String) throws {
    guard case .run = try Arguments(["run", "--", "true", word]) else {
      Issue.record("\(word) was taken for an option")
      return
    }
  }

  @Test("what cannot be meant is refused in one line")
  func refusals() {
    #expect(refusal("--api-ports", "65532")?.contains("greater than 65535") == true)
    #expect(refusal("--port") == "--port needs a value: --port N")
    #expect(refusal("--port=") == "--port needs a value: --port N")
    #expect(refusal("--watch=yes", "--data", "d") == "--watch takes no value")
    #expect(refusal("--watch")?.contains("--data") == true)
    #expect(refusal("--log", "xml")?.contains("text, json or off") == true)
    #expect(refusal("openapi", "--port")?.contains("takes no options") == true)
    for message in [refusal("--watch"), refusal("--log", "xml"), refusal("--x")] {
      #expect(message?.contains("\n") == false)
    }
  }

  @Test("help and version go before everything else")
  func help() throws {
    for words in [["--help"], ["-h"], ["help"], ["serve", "--bad", "--help"]] {
      guard case .help = try Arguments(words) else {
        Issue.record("\(words) is no call for help")
        continue
      }
    }
    guard case .version = try Arguments(["--version"]) else { throw UsageError("no version") }
    guard case .openapi = try Arguments(["openapi"]) else { throw UsageError("no document") }
  }

  @Test("the help names every option and fits in 100 columns")
  func helpText() {
    let lines = Help.text.split(separator: "\n")
    for line in lines { #expect(line.count <= 100, "\(line)") }
    for command in Command.all {
      #expect(Help.text.contains("  understudy " + command.usage))
      for flag in command.flags { #expect(Help.text.contains(flag.name)) }
    }
  }
}

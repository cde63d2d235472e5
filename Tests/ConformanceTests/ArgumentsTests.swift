import Testing

@testable import ConformCommand

@Suite("The command line of understudy-conform")
struct ArgumentsTests {
  @Test("options may stand anywhere, and give their value behind a blank or =")
  func judging() throws {
    var settings = Arguments.Settings()
    settings.url = "http://localhost:1"
    settings.only = ["devices", "http"]
    settings.junit = "f.xml"
    settings.isLong = true
    settings.writes = true
    settings.patience = .seconds(3)
    let words = ["--only", "devices,http", "http://localhost:1", "--junit=f.xml", "--long", "--writes", "--patience=3"]
    #expect(try Arguments(words) == .judge(settings))
    #expect(try Arguments(["--list", "--only", "users"]) == .list(["users"]))
    #expect(try Arguments(["x", "--help", "--nonsense"]) == .help)
  }

  @Test("the token is taken from the environment, unless the option is given")
  func adminToken() throws {
    func token(_ words: [String], _ environment: [String: String]) throws -> String? {
      guard case .judge(let settings) = try Arguments(words + ["http://a"], environment: environment) else {
        return nil
      }
      return settings.adminToken
    }
    #expect(try token([], ["UNDERSTUDY_ADMIN_TOKEN": "e"]) == "e")
    #expect(try token(["--admin-token", "f"], ["UNDERSTUDY_ADMIN_TOKEN": "e"]) == "f")
    #expect(try token([], ["UNDERSTUDY_ADMIN_TOKEN": ""]) == nil)
  }

  @Test("a misspelt option does not print the token behind it")
  func misspelt() {
    #expect(throws: Arguments.UsageError(message: "unknown option --admin-tokn; see understudy-conform --help")) {
      try Arguments(["--admin-tokn=secret"])
    }
  }

  @Test(
    "what cannot be meant is refused",
    arguments: [
      [], ["--junit"], ["--nonsense", "x"], ["http://a", "http://b"], ["http://a", "--patience", "0"],
      ["http://a", "--only", ""],
    ])
  func refused(words: [String]) {
    #expect(throws: Arguments.UsageError.self) { try Arguments(words) }
  }
}

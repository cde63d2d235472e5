import Testing

@testable import ConformCommand

@Suite("The command line of understudy-conform")
struct ArgumentsTests {
  @Test("takes options anywhere, with the value after a space or =")
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

  @Test("takes the token from the environment unless the option is given")
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

  @Test("refuses a second value of an option, except for --only, which collects them")
  func twice() throws {
    #expect(throws: Arguments.UsageError(message: "--junit is given twice, but it has one value")) {
      try Arguments(["--junit", "a.xml", "--junit=b.xml", "http://a"])
    }
    #expect(try Arguments(["--list", "--only", "users", "--only=http"]) == .list(["users", "http"]))
  }

  @Test("refuses a misspelt option without printing the token after it")
  func misspelt() {
    #expect(throws: Arguments.UsageError(message: "unknown option --admin-tokn; see understudy-conform --help")) {
      try Arguments(["--admin-tokn=secret"])
    }
  }

  @Test(
    "refuses invalid words",
    arguments: [
      [], ["--junit"], ["--nonsense", "x"], ["http://a", "http://b"], ["http://a", "--patience", "0"],
      ["http://a", "--only", ""],
    ])
  func refused(words: [String]) {
    #expect(throws: Arguments.UsageError.self) { try Arguments(words) }
  }
}

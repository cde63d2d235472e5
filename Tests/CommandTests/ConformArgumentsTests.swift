import Testing
import Understudy

@testable import UnderstudyCommand

@Suite("The command line of understudy conform")
struct ConformArgumentsTests {
  private static func settings(_ words: [String], _ environment: [String: String] = [:]) throws -> Settings? {
    guard case .conform(let settings) = try Arguments(["conform"] + words, environment: environment) else { return nil }
    return settings
  }

  @Test("takes options anywhere, with the value after a space or =")
  func judging() throws {
    let words = ["--only", "devices,http", "http://localhost:1", "--junit=f.xml", "--long", "--writes", "--patience=3"]
    let settings = try #require(try Self.settings(words))
    #expect(settings.urls == ["http://localhost:1"] && settings.onlyChecks == ["devices", "http"])
    #expect(settings.junitFile == "f.xml" && settings.isLong && settings.allowsWrites)
    #expect(settings.patience == .seconds(3) && !settings.listsChecks)
    #expect(try Self.settings(["--list", "--only", "users"])?.listsChecks == true)
  }

  @Test("takes the token from the environment unless the option is given")
  func adminToken() throws {
    let variables = ["UNDERSTUDY_ADMIN_TOKEN": "e"]
    #expect(try Self.settings(["http://a"], variables)?.options.adminToken == "e")
    #expect(try Self.settings(["http://a", "--admin-token", "f"], variables)?.options.adminToken == "f")
    #expect(try Self.settings(["http://a"], ["UNDERSTUDY_ADMIN_TOKEN": ""])?.options.adminToken == nil)
  }

  @Test("refuses a misspelt option without printing the token after it")
  func misspelt() throws {
    let error = #expect(throws: UsageError.self) { try Self.settings(["--admin-tokn=secret", "http://a"]) }
    let message = try #require(error?.message)
    #expect(message.hasPrefix("unknown option --admin-tokn, ") && !message.contains("secret"), "\(message)")
  }

  @Test(
    "refuses invalid words",
    arguments: [
      [], ["--junit"], ["--nonsense", "x"], ["http://a", "http://b"], ["http://a", "--patience", "0"],
      ["http://a", "--only", ""], ["http://a", "--junit", "a.xml", "--junit=b.xml"],
    ])
  func refused(words: [String]) {
    #expect(throws: UsageError.self) { try Self.settings(words) }
  }
}

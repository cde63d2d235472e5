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

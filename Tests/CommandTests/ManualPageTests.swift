import LiveTesting
import Testing

@testable import UnderstudyCommand

@Suite("The manual page", .live)
struct ManualPageTests {
  @Test("has everything that the help has")
  func saysWhatTheHelpSays() {
    let page = ManualPage.text
    let rows =
      Command.all.map { ($0.usage, $0.about) } + Manual.options.flatMap(\.1) + Manual.examples + Manual.exitCodes
      + Manual.exitCodesOfRun
    for (term, meaning) in rows {
      #expect(page.contains(ManualPage.escaped(term).replacing("\"", with: "\\(dq")), "\(term)")
      #expect(page.contains(ManualPage.escaped(meaning)), "\(meaning)")
    }
    for note in Manual.notes { #expect(page.contains(ManualPage.escaped(note)), "\(note)") }
  }

  @Test("lists every variable that replaces an option")
  func namesVariables() {
    let page = ManualPage.text
    for variable in ["UNDERSTUDY_HOST", "PORT", "UNDERSTUDY_ADMIN_TOKEN"] {
      #expect(page.contains(".B \"\(variable)\""))
    }
  }

  @Test("escapes texts that roff would read as requests, and hyphens")
  func escapes() {
    #expect(ManualPage.escaped(".report") == "\\&.report")
    #expect(ManualPage.escaped("'quoted' \\ --x") == "\\(aqquoted\\(aq \\e \\-\\-x")
  }

  @Test("is ASCII, which every roff reads")
  func isASCII() { #expect(ManualPage.text.utf8.allSatisfy { $0 < 0x80 }) }

  @Test("is printed by understudy man, which takes no options")
  func prints() throws {
    let result = try Program("man").result()
    #expect(result.status == 0)
    #expect(result.output == ManualPage.text)
    #expect(try Program("man", "--port").result().status == 64)
  }
}

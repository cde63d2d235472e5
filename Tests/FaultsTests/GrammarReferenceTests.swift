import Faults
import Foundation
import JSON
import LiveTesting
import Testing

@Suite("The reference of the scenario format")
struct GrammarReferenceTests {
  private static let file = Repository.page("ScenarioReference")

  @Test("is what the declarations print, byte for byte")
  func isPrinted() throws {
    let page = ScenarioReference.page
    if ProcessInfo.processInfo.environment["UNDERSTUDY_WRITE"] == "1" { try Data(page.utf8).write(to: Self.file) }
    let committed = try String(contentsOf: Self.file, encoding: .utf8)
    #expect(committed == page, "run: UNDERSTUDY_WRITE=1 swift test --filter GrammarReferenceTests")
  }

  @Test("has a valid example of every effect", arguments: Effect.Kind.allCases)
  func examples(kind: Effect.Kind) throws {
    let effect = try Effect(json: JSONValue(parsing: kind.page.example))
    #expect(effect.kind == kind)
    #expect(ScenarioReference.page.contains("\n### \(kind.name)\n"))
  }

  @Test("explains every parameter", arguments: Effect.Kind.allCases)
  func parameters(kind: Effect.Kind) {
    for member in kind.parameters {
      #expect(!member.about.isEmpty)
      #expect(ScenarioReference.page.contains("| `\(member.name)` |"))
    }
  }
}

import Faults
import Foundation
import JSON
import LiveTesting
import Testing

@Suite("The references of the formats of scenarios and semantics")
struct GrammarReferenceTests {
  @Test(
    "are what the declarations print, byte for byte",
    arguments: [("ScenarioReference", ScenarioReference.page), ("SemanticsReference", SemanticsReference.page)])
  func isPrinted(name: String, page: String) throws {
    let file = Repository.page(name)
    if ProcessInfo.processInfo.environment["UNDERSTUDY_WRITE"] == "1" { try Data(page.utf8).write(to: file) }
    let committed = try String(contentsOf: file, encoding: .utf8)
    #expect(committed == page, "run: UNDERSTUDY_WRITE=1 swift test --filter GrammarReferenceTests")
  }

  @Test("have a valid example of a file of semantics")
  func semantics() throws {
    #expect(try Semantics(json: JSONValue(parsing: SemanticsReference.example)).rules.count == 4)
  }

  @Test("have a valid example of every effect", arguments: Effect.Kind.allCases)
  func examples(kind: Effect.Kind) throws {
    let effect = try Effect(json: JSONValue(parsing: kind.page.example))
    #expect(effect.kind == kind)
    #expect(ScenarioReference.page.contains("\n### \(kind.name)\n"))
  }

  @Test("explain every parameter", arguments: Effect.Kind.allCases)
  func parameters(kind: Effect.Kind) {
    for member in kind.parameters {
      #expect(!member.about.isEmpty)
      #expect(ScenarioReference.page.contains("| `\(member.name)` |"))
    }
  }
}

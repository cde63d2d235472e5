import JSON
import Testing

@testable import Contract
@testable import ControlAPI

@Suite("A schema document")
struct SchemaDocumentTests {
  @Test(
    "has exactly the definitions that it references", arguments: SchemaDocument.all.map(\.name)
  )
  func resolvesReferences(name: String) throws {
    let json = try #require(SchemaDocument.named(name)).json
    #expect(json["$schema"] == "https://json-schema.org/draft/2020-12/schema")
    var references: Set<String> = []
    DocumentTests.walk(json) { name, value in
      if name == "$ref", let text = value.string { references.insert(text) }
    }
    let definitions = (json["$defs"]?.object?.members ?? []).map { "#/$defs/\($0.name)" }
    #expect(references == Set(definitions))
  }

  @Test("describes the root without a reference, so that an editor knows its members")
  func describesRoot() throws {
    let scenario = try #require(SchemaDocument.named("scenario")).json
    let names = scenario["properties"]?.object?.members.map(\.name)
    #expect(names == ["$schema", "name", "about", "rules", "seed", "inapplicable"])
    #expect(scenario["additionalProperties"] == false)
    #expect(SchemaDocument.named("scenarios") == nil)
  }

  @Test("has the words of other tools that a rule may use")
  func hasOtherWords() throws {
    let definitions = try #require(SchemaDocument.named("scenario")).json["$defs"]
    #expect(definitions?["DelayEffect"]?["required"] == ["delay"])
    #expect(definitions?["CodeEffect"]?["required"] == ["code"])
    #expect(definitions?["CodeEffect"]?["properties"]?["retry-after"] != nil)
  }
}

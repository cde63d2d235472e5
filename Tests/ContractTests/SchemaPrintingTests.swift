import JSON
import Testing

@testable import Contract
@testable import ControlAPI

@Suite("A printed schema")
struct SchemaPrintingTests {
  struct Sample: Sendable, CustomTestStringConvertible {
    let schema: Schema
    let json: String

    init(_ schema: Schema, _ json: String) {
      self.schema = schema
      self.json = json
    }

    var testDescription: String { json }
  }

  private typealias Property = Schema.Property
  private static let dog = Schema.object([Property("name", .string())]).named("Dog")

  static let samples: [Sample] = [
    Sample(.any, "{}"), Sample(.boolean, #"{"type":"boolean"}"#),
    Sample(.boolean.orNull, #"{"type":["boolean","null"]}"#), Sample(.any.orNull, "{}"),
    Sample(.integer(), #"{"type":"integer","format":"int64"}"#),
    Sample(.integer(1...9), #"{"type":"integer","minimum":1,"maximum":9}"#),
    Sample(.number(-0.5...60), #"{"type":"number","minimum":-0.5,"maximum":60}"#),
    Sample(.double(0...360), #"{"type":"number","format":"double","minimum":0,"maximum":360}"#),
    Sample(.string(minimumLength: 1, maximumLength: 3), #"{"type":"string","minLength":1,"maxLength":3}"#),
    Sample(.string(choices: ["a", "b"]), #"{"type":"string","enum":["a","b"]}"#),
    Sample(.string(choices: ["a"]).orNull, #"{"type":["string","null"],"enum":["a",null]}"#),
    Sample(.string(format: .digits), #"{"type":"string","pattern":"^[0-9]+$"}"#),
    Sample(.string(format: .uri), #"{"type":"string","format":"uri","pattern":"^https?://[!-~]+$"}"#),
    Sample(.array(of: .boolean), #"{"type":"array","items":{"type":"boolean"}}"#),
    Sample(.array(of: .any, count: 2...2), #"{"type":"array","items":{},"minItems":2,"maxItems":2}"#),
    Sample(.object([]), #"{"type":"object","additionalProperties":false}"#),
    Sample(.object([], additional: .allowed), #"{"type":"object"}"#),
    Sample(.map(of: .boolean), #"{"type":"object","additionalProperties":{"type":"boolean"}}"#),
    Sample(
      .map(of: .any, named: .digits, count: 1...2),
      #"{"type":"object","additionalProperties":{},"propertyNames":{"type":"string","pattern":"^[0-9]+$"},"#
        + #""minProperties":1,"maxProperties":2}"#),
    Sample(
      .object([Property("b", .any), Property("a", .boolean, required: false)]).described("Both."),
      #"{"description":"Both.","type":"object","properties":{"b":{},"a":{"type":"boolean"}},"required":["b"],"#
        + #""additionalProperties":false}"#),
    Sample(.constant("now"), #"{"const":"now"}"#), Sample(.constant("now").orNull, #"{"enum":["now",null]}"#),
    Sample(.oneOf([.boolean, .constant(1)]), #"{"anyOf":[{"type":"boolean"},{"const":1}]}"#),
    Sample(.oneOf([.boolean]).orNull, #"{"anyOf":[{"type":"boolean"},{"type":"null"}]}"#),
    Sample(dog, ##"{"$ref":"#/components/schemas/Dog"}"##),
    Sample(dog.orNull, ##"{"anyOf":[{"$ref":"#/components/schemas/Dog"},{"type":"null"}]}"##),
  ]

  @Test("is JSON Schema with the validator's meaning", arguments: samples)
  func prints(sample: Sample) {
    var draft = Draft()
    #expect(draft.schema(sample.schema).text == sample.json)
  }

  @Test("is one component for all its references, and each reference may have its own description")
  func isOneComponent() {
    var draft = Draft()
    _ = draft.schema(.array(of: Self.dog.orNull))
    _ = draft.schema(Self.dog)
    #expect(
      draft.schema(Self.dog.described("The best.")).text
        == ##"{"$ref":"#/components/schemas/Dog","description":"The best."}"##)
    #expect(draft.schemas.members.map(\.name) == ["Dog"])
    #expect(draft.schemas["Dog"]?["type"] == "object")
  }

  @Test("cannot share its name with another one")
  func refusesSharedName() async {
    await #expect(processExitsWith: .failure) {
      var draft = Draft()
      _ = draft.schema(.array(of: .oneOf([.boolean.named("Cat"), .integer().named("Cat")])))
    }
  }
}

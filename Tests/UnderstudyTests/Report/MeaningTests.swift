import Contract
import JSON
import Testing

@testable import Report

@Suite("The meaning of a write")
struct MeaningTests {
  private static func meaning(_ id: String, _ arguments: [String], _ body: JSONValue?) throws -> Meaning {
    let api = try #require(API.all.firstIndex { $0.operations.contains { $0.id == id } })
    return Meaning(try #require(.named(id)), of: api, arguments, body)
  }

  private static func values(_ meaning: Meaning) -> [String]? {
    guard case .sets(let members) = meaning.purpose else { return nil }
    return members.map { "\($0.name)=\($0.value.text)" }
  }

  @Test(
    "writes the members that can be set, in the order of the contract, whatever else the body has",
    arguments: [
      #"{"type": "heating", "installationDate": null}"#,
      #"{"installationDate": null, "type": "heating"}"#,
      #"{"id": "d1", "type": "heating", "installationDate": null}"#,
      #"{"type": "heating", "colour": "red", "installationDate": null}"#,
    ])
  func members(body: String) throws {
    let meaning = try Self.meaning("patchDevice", ["d1"], JSONValue(parsing: body))
    #expect(Self.values(meaning) == ["type=\"heating\"", "installationDate=null"])
    #expect(meaning.intent?.members == ["installationDate", "type"])
    #expect(meaning.intent?.kind == .sets)
  }

  @Test("is the same for bodies that differ in the order of their members, and in the record's own id")
  func sameMeaning() throws {
    func intent(_ body: String) throws -> Intent? {
      try Self.meaning("patchDevice", ["d1"], JSONValue(parsing: body)).intent
    }
    let plain = try intent(#"{"type": "heating", "installationDate": null}"#)
    #expect(try plain == intent(#"{"installationDate": null, "id": "d1", "type": "heating"}"#))
    #expect(try plain != intent(#"{"installationDate": null, "id": "d2", "type": "heating"}"#))
    #expect(try plain != intent(#"{"type": "cold_water", "installationDate": null}"#))
    let composed = try intent(#"{"type": "\u00e9"}"#)
    #expect(try composed != intent(#"{"type": "e\u0301"}"#), "the server compares bytes, too")
  }

  @Test("of a body that is no object, and without a body, is not known")
  func noObject() throws {
    let list = try Self.meaning("patchDevice", ["d1"], [])
    #expect(list.intent == nil && Self.values(list) == nil)
    let nothing = try Self.meaning("patchDevice", ["d1"], nil)
    #expect(nothing.intent == nil && Self.values(nothing) == nil)
  }

  @Test("takes from the counter of the record that the body names")
  func counter() throws {
    let booking = try Self.meaning("bookRoom", [], ["name": "Ljerka"])
    #expect(booking.purpose.text == "name: Ljerka")
    #expect(booking.intent?.kind == .adds && booking.intent?.record == Observation.hash("Ljerka"))
    let unnamed = try Self.meaning("bookRoom", [], [:])
    #expect(unnamed.intent == nil && unnamed.purpose.text.isEmpty)
  }
}

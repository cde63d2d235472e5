package import Contract
import Faults
package import JSON

/// A JSON Schema (2020-12) of one kind of file or response, generated from the same declarations as `openapi.yaml`.
package struct SchemaDocument: Sendable {
  /// The name under which it is printed and served, without `.json`: `scenario`.
  package let name: String
  package let json: JSONValue

  /// The content of the file.
  package var text: String { String(decoding: json.bytes(.indented), as: UTF8.self) + "\n" }

  /// All documents: scenarios, journals, semantics and reports, then the data file of each API, and the table of `explore`.
  package static let all =
    [
      SchemaDocument("scenario", "A scenario of Understudy, as in a file for --scenario", .scenario),
      SchemaDocument(
        "journal", "A journal of Understudy; a line of its form in JSON Lines is a `#/$defs/JournalEntry`", .journal),
      SchemaDocument(
        "semantics", "The meaning of a backend's requests, as in a file for --semantics", .grammar(Semantics.shape)),
      SchemaDocument("report", "A report of Understudy: a card, or a file of run --report or report --merge", .report),
    ] + API.all.map { SchemaDocument($0.name, "The data of \($0.name), as in \($0.name).json of --data", $0.data) }
    + [SchemaDocument("exploration", "A report of Understudy, as explore --report writes it", .exploration)]

  /// The names of all documents, for messages.
  package static var names: String { all.map(\.name).joined(separator: ", ") }

  package init(_ name: String, _ title: String, _ schema: Schema) {
    self.name = name
    var draft = Draft(definitions: "#/$defs/")
    // The root is the schema itself and not a reference, for tools that do not follow references at the root.
    let root = Schema(schema.shape, about: schema.about, isNullable: schema.isNullable)
    let members = draft.schema(root).object?.members ?? []
    var json = JSONValue.Object([
      JSONValue.Member("$schema", "https://json-schema.org/draft/2020-12/schema"),
      JSONValue.Member("title", .string(title)),
    ])
    for member in members { json[member.name] = member.value }
    let definitions = draft.schemas.members.sorted { $0.name < $1.name }
    if !definitions.isEmpty { json["$defs"] = .object(JSONValue.Object(definitions)) }
    self.json = .object(json)
  }

  /// Returns the document of a name; nil if there is none.
  package static func named(_ name: some StringProtocol) -> SchemaDocument? { all.first { $0.name == name } }
}

extension Problem {
  package static func unknownSchema(_ name: String) -> Problem {
    let names = SchemaDocument.all.map { $0.name + ".json" }.joined(separator: ", ")
    return Problem(
      404, "unknown-schema", "There is no such schema",
      "No schema is called \(JSONValue.string(name).text). Expected one of \(names).")
  }
}

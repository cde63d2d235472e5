import JSON
import Testing

@testable import Contract
@testable import ControlAPI

@Suite("The document's examples")
struct DocumentExampleTests {
  /// A body in the document: its position, and its media type object.
  private struct Body {
    let place: String
    let content: JSONValue
  }

  private static let document = Document().json

  private static func resolved(_ json: JSONValue) -> JSONValue {
    guard let reference = json["$ref"]?.string else { return json }
    return reference.split(separator: "/").dropFirst().reduce(document) { $0[String($1)] ?? .null }
  }

  private static let bodies: [Body] = {
    var bodies: [Body] = []
    for path in document["paths"]?.object?.members ?? [] {
      for operation in path.value.object?.members ?? [] {
        let place = "\(operation.name) \(path.name)"
        var holders = (operation.value["responses"]?.object?.members ?? []).map { ($0.name, resolved($0.value)) }
        if let request = operation.value["requestBody"] { holders.append(("request", request)) }
        for (name, holder) in holders {
          for content in holder["content"]?.object?.members ?? [] {
            bodies.append(Body(place: "\(place) \(name) \(content.name)", content: content.value))
          }
        }
      }
    }
    return bodies
  }()

  @Test("exist for each body of a request and of a response")
  func areComplete() {
    #expect(Self.bodies.count > 200)
    for body in Self.bodies {
      let examples = body.content["examples"]?.object?.members ?? []
      #expect(!examples.isEmpty, "\(body.place) has no example")
      for example in examples.map({ Self.resolved($0.value) }) {
        #expect((example["value"] == nil) != (example["externalValue"] == nil), "\(body.place)")
      }
    }
  }

  @Test("of problems fit their schemas, and have the status of their response")
  func areProblems() {
    let schemas = Dictionary(uniqueKeysWithValues: API.ErrorShape.allCases.map { ($0.schema.name ?? "", $0.schema) })
    for body in Self.bodies {
      guard let name = body.content["schema"]?["$ref"]?.string?.split(separator: "/").last,
        let schema = schemas[String(name)]
      else { continue }
      for example in body.content["examples"]?.object?.members ?? [] {
        let value = Self.resolved(example.value)["value"] ?? .null
        #expect(schema.violations(in: value).isEmpty, "\(body.place): \(value.text)")
        guard let status = value["status"]?.int, !body.place.contains("5XX") else { continue }
        #expect(body.place.contains(" \(status) "), "\(body.place): \(value.text)")
      }
    }
  }
}

import JSON
import Primitives
import Testing

@testable import Contract
@testable import ControlAPI

@Suite("The OpenAPI document")
struct DocumentTests {
  static let served = Document()

  @Test("has every operation of every API once, with the API's label if the merged origin does not have it")
  func hasEveryOperation() throws {
    let paths = try #require(Self.served.json["paths"]?.object)
    let ids = paths.members.flatMap { $0.value.object?.members.compactMap { $0.value["operationId"]?.string } ?? [] }
    let operations = (API.all + [.control]).flatMap(\.operations)
    #expect(Set(ids) == Set(operations.map(\.id)))
    #expect(ids.count == operations.count)
    #expect(paths["/@booking/rooms"]?["get"]?["operationId"] == "listBookingRoomsByBrief")
    #expect(paths["/rooms"]?["get"]?["tags"] == ["house"])
    #expect(paths["/api/location/2165352/"] != nil)
  }

  @Test("references only existing components, and every component is referenced")
  func resolvesReferences() {
    var references: Set<String> = []
    Self.walk(Self.served.json) { name, value in
      if name == "$ref", let text = value.string { references.insert(text) }
    }
    var components: Set<String> = []
    for kind in Self.served.json["components"]?.object?.members ?? [] where kind.name != "securitySchemes" {
      for component in kind.value.object?.members ?? [] {
        components.insert("#/components/\(kind.name)/\(component.name)")
      }
    }
    #expect(references == components)
  }

  @Test("anchors every pattern at both ends")
  func anchorsPatterns() throws {
    var patterns: Set<String> = []
    Self.walk(Self.served.json) { name, value in
      if name == "pattern", let text = value.string { patterns.insert(text) }
    }
    #expect(patterns.count >= 6)
    for pattern in patterns {
      #expect(pattern.hasPrefix("^") && pattern.hasSuffix("$"))
      _ = try Regex(pattern)
    }
  }

  @Test("has every declared operation, and describes what a scenario may do to a response")
  func promisesWhatIsServed() {
    #expect(Control.pages.allSatisfy { Self.served.json["paths"]?[$0.path.text] != nil })
    let responses = Self.served.json["paths"]?["/devices"]?["get"]?["responses"]?.object
    #expect(responses?.members.map(\.name).suffix(2) == ["503", "5XX"])
    #expect(responses?["429"] == ["$ref": "#/components/responses/RateLimited"])
  }

  @Test("lists common parameters and statuses where they belong")
  func listsCommonParts() {
    func names(_ path: String, _ method: String, _ part: String) -> [String] {
      let part = Self.served.json["paths"]?[path]?[method]?[part]
      let references = part?.array?.compactMap { $0["$ref"]?.string?.split(separator: "/").last.map(String.init) }
      return references ?? part?.object?.members.map(\.name) ?? []
    }
    #expect(names("/devices/{id}", "patch", "parameters") == ["Sandbox", "IfMatch"])
    #expect(names("/users", "get", "parameters") == ["Sandbox", "IfNoneMatch"])
    #expect(names("/book", "post", "parameters") == ["Sandbox"])
    #expect(names("/_mock/health", "get", "parameters").isEmpty)
    #expect(names("/_mock/health", "get", "responses") == ["200", "400", "408", "414", "417", "431", "503"])
    #expect(
      names("/_mock/reset", "post", "responses")
        == ["204", "400", "401", "403", "404", "408", "412", "413", "414", "417", "422", "431", "503", "507"])
    #expect(
      names("/users", "post", "responses")
        == [
          "201", "400", "404", "408", "409", "412", "413", "414", "415", "417", "422", "429", "431", "503", "507",
          "5XX",
        ])
  }

  @Test("gives the key of each operation that writes an example of its own")
  func keyExamples() {
    var examples: [String] = []
    for path in Self.served.json["paths"]?.object?.members ?? [] {
      for operation in path.value.object?.members ?? [] {
        for parameter in operation.value["parameters"]?.array ?? [] where parameter["name"] == "Idempotency-Key" {
          examples += (parameter["examples"]?.object?.members ?? []).compactMap { $0.value["value"]?.string }
        }
      }
    }
    #expect(examples.contains("example-of-bookRoom") && examples.contains("example-of-resetSandbox"))
    #expect(Set(examples).count == examples.count)
  }

  @Test("is the same each time it is printed, and the same in JSON and in YAML")
  func isDeterministic() {
    #expect(Document().yaml == Self.served.yaml)
    #expect(Self.served.yaml == YAML.text(Self.served.json))
    #expect(Self.served.yaml.hasPrefix("openapi: '3.1.0'\ninfo:\n  title: Understudy\n"))
  }

  @Test("cannot have two operations with the same method and path")
  func refusesTwins() async {
    await #expect(processExitsWith: .failure) {
      let twin = Operation("twin", .get, "/devices", documentation: .init(summary: "", responses: []))
      let api = API(name: "twins", title: "", about: "", operations: [twin], data: .any)
      _ = Document(apis: API.all + [api])
    }
  }

  static func walk(_ value: JSONValue, _ visit: (String, JSONValue) -> Void) {
    for member in value.object?.members ?? [] {
      visit(member.name, member.value)
      walk(member.value, visit)
    }
    for element in value.array ?? [] { walk(element, visit) }
  }
}

@Suite("A declared operation")
struct DeclarationTests {
  static let operations = (API.all + [.control]).flatMap(\.operations)

  @Test(
    "has an id, a summary, a successful response or only errors, and valid examples", arguments: operations.map(\.id))
  func isComplete(id: String) throws {
    let operation = try #require(Self.operations.first { $0.id == id })
    #expect(!operation.documentation.summary.isEmpty && !operation.documentation.summary.hasSuffix("."))
    let isRefused = operation.documentation.responses.allSatisfy { $0.status >= 400 }
    #expect(isRefused || operation.documentation.responses.contains { (200..<300).contains($0.status) })
    #expect(operation.documentation.body.map { !$0.examples.isEmpty } ?? true)
    for parameter in operation.documentation.parameters {
      let example = try #require(parameter.example, "\(parameter.name) has no example")
      expectFit([example], parameter.schema)
    }
    expectFit(operation.documentation.body?.examples ?? [], operation.documentation.body?.schema ?? .any)
    for content in operation.documentation.responses.flatMap(\.content) { expectFit(content.examples, content.schema) }
  }

  @Test("has at most one response for each status", arguments: operations.map(\.id))
  func hasDistinctStatuses(id: String) throws {
    let statuses = try #require(Self.operations.first { $0.id == id }).documentation.responses.map(\.status)
    #expect(Set(statuses).count == statuses.count)
  }

  private func expectFit(_ examples: [JSONExample], _ schema: Schema) {
    for example in examples where example.address == nil {
      #expect(schema.violations(in: example.value).isEmpty, "\(example.name)")
    }
    #expect(Set(examples.map(\.name)).count == examples.count)
  }
}

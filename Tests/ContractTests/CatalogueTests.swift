import JSON
import Primitives
import Testing

@testable import Contract

@Suite struct CatalogueTests {
  @Test func thereAreFiveAPIsInTheOrderOfTheirPorts() {
    #expect(API.all.map(\.name) == ["devices", "activities", "house", "users", "booking"])
  }

  @Test func everyUpstreamHostSelectsOneAPI() {
    let hosts = API.all.flatMap(\.hosts)
    #expect(Set(hosts).count == hosts.count)
    #expect(
      Set(hosts) == [
        "comgy.io", "aircall-job.herokuapp.com", "private-1e863-house4591.apiary-mock.com",
        "*-house4591.apiary-mock.com", "www.metaweather.com",
        "jsonplaceholder.typicode.com", "wetransfer.github.io",
      ])
  }

  @Test func onlyGetRoomsIsDeclaredTwiceAndOnlyOneIsMerged() {
    for isMerged in [true, false] {
      var places: [String: Int] = [:]
      for api in API.all {
        for operation in api.operations where operation.semantics.isMerged || !isMerged {
          places[operation.method.rawValue + " " + operation.path.text, default: 0] += 1
        }
      }
      #expect(places.filter { $0.value > 1 }.keys.sorted() == (isMerged ? [] : ["GET /rooms"]))
    }
  }

  @Test("every variable of a path is declared", arguments: API.all.flatMap(\.operations))
  func everyVariableOfAPathIsDeclared(operation: Contract.Operation) {
    let variables = operation.path.segments.compactMap { segment in
      if case .variable(let name) = segment { name } else { nil }
    }
    #expect(operation.documentation.parameters.filter { $0.location == .path }.map(\.name) == variables)
  }

  @Test("operations with an entity tag declare ETag and 304", arguments: API.all.flatMap(\.operations))
  func operationsWithAnEntityTagDeclareETagAnd304(operation: Contract.Operation) {
    let isRead = operation.method == .get && operation.caching.validator != .none
    #expect(operation.documentation.responses.contains { $0.status == 304 } == isRead)
    guard let success = operation.documentation.responses.first(where: { 200..<300 ~= $0.status }) else { return }
    #expect(success.fields.contains { $0.name == "ETag" } == (operation.caching.validator != .none))
    #expect(success.fields.count { $0.name == "Cache-Control" } == 1)
  }

  @Test("operations that can fail a precondition declare 412", arguments: API.all)
  func operationsThatCanFailAPreconditionDeclare412(api: API) {
    let tagged = Set(api.operations.filter { $0.method == .get && $0.caching.validator != .none }.map(\.path))
    for operation in api.operations {
      let isTagless = operation.canWrite && !operation.caching.evaluatesPreconditions && !operation.onlyRefuses
      let canFail = tagged.contains(operation.path) && operation.caching.evaluatesPreconditions || isTagless
      #expect(operation.documentation.responses.contains { $0.status == 412 } == canFail, "\(operation.id)")
    }
  }

  @Test("errors have the shape of their API", arguments: API.all)
  func errorsHaveTheShapeOfTheirAPI(api: API) {
    let problem: JSONValue = [
      "type": "urn:understudy:problem:x", "title": "x", "status": 404, "detail": "x", "instance": "/",
    ]
    for response in api.operations.flatMap(\.documentation.responses) where response.status >= 400 {
      for content in response.content {
        switch api.errors {
        case .emptyObject:
          #expect(content.mediaType == "application/json")
          #expect(content.schema.violations(in: [:]).isEmpty)
        case .unsuccessfulProblem:
          #expect(content.schema.violations(in: problem.merging(["success": false])).isEmpty)
          #expect(!content.schema.violations(in: problem.merging(["success": true])).isEmpty)
        case .problem: #expect(content.schema.violations(in: problem).isEmpty)
        case .problemWithMessage:
          #expect(content.schema.violations(in: problem).map(\.pointer.description) == ["/message"])
        }
      }
    }
  }
}

extension Contract.Operation: CustomTestStringConvertible {
  public var testDescription: String { id }
}

extension API: CustomTestStringConvertible {
  public var testDescription: String { name }
}

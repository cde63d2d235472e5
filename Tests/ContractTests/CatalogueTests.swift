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
        "comgy.io", "aircall-job.herokuapp.com", "private-1e863-house4591.apiary-mock.com", "www.metaweather.com",
        "jsonplaceholder.typicode.com", "wetransfer.github.io",
      ])
  }

  @Test func noOperationIdOccursTwice() {
    let ids = API.all.flatMap(\.operations).map(\.id)
    #expect(Set(ids).count == ids.count)
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

  @Test(arguments: API.all.flatMap(\.operations))
  func everyExampleOfAResponseFitsItsSchema(operation: Contract.Operation) {
    for response in operation.documentation.responses {
      for content in response.content {
        for example in content.examples where example.address == nil {
          #expect(content.schema.violations(in: example.value).isEmpty, "\(response.status) \(example.name)")
        }
      }
    }
  }

  @Test(arguments: API.all.flatMap(\.operations))
  func everyExampleOfABodyAndAParameterFitsItsSchema(operation: Contract.Operation) {
    for example in operation.documentation.body?.examples ?? [] {
      #expect(operation.documentation.body?.schema.violations(in: example.value).isEmpty == true, "\(example.name)")
    }
    for parameter in operation.documentation.parameters {
      guard let example = parameter.example else { continue }
      #expect(parameter.schema.violations(in: example.value).isEmpty, "\(parameter.name)")
    }
  }

  @Test(arguments: API.all.flatMap(\.operations))
  func everyVariableOfAPathIsDeclared(operation: Contract.Operation) {
    let variables = operation.path.segments.compactMap { segment in
      if case .variable(let name) = segment { name } else { nil }
    }
    #expect(operation.documentation.parameters.filter { $0.location == .path }.map(\.name) == variables)
  }

  @Test(arguments: API.all.flatMap(\.operations))
  func operationsWithAnEntityTagDeclareETagAnd304(operation: Contract.Operation) {
    let isRead = operation.method == .get && operation.caching.validator != .none
    #expect(operation.documentation.responses.contains { $0.status == 304 } == isRead)
    guard let success = operation.documentation.responses.first(where: { 200..<300 ~= $0.status }) else { return }
    #expect(success.fields.contains { $0.name == "ETag" } == (operation.caching.validator != .none))
    #expect(success.fields.count { $0.name == "Cache-Control" } == 1)
  }

  @Test(arguments: API.all)
  func operationsThatCanFailAPreconditionDeclare412(api: API) {
    let tagged = Set(api.operations.filter { $0.method == .get && $0.caching.validator != .none }.map(\.path))
    for operation in api.operations {
      let isTagless = operation.canWrite && !operation.caching.evaluatesPreconditions && !operation.onlyRefuses
      let canFail = tagged.contains(operation.path) && operation.caching.evaluatesPreconditions || isTagless
      #expect(operation.documentation.responses.contains { $0.status == 412 } == canFail, "\(operation.id)")
    }
  }

  @Test(arguments: API.all)
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

@Suite struct DateTimeFormatTests {
  @Test(arguments: [
    "2023-06-22T15:13:34Z", "2023-06-22T15:13:34+02:00", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59-12:00",
    "2024-02-29T00:00:00Z",
  ])
  func anInstallationDateIsAnyDateTimeWithoutAFraction(text: String) {
    #expect(Schema.Format.internetDateTime.allows(text))
  }

  @Test(arguments: [
    "", "now", "2023-06-22", "2023-06-22T15:13:34", "2023-06-22T15:13:34.000Z", "2023-06-22 15:13:34Z",
    "2023-02-29T00:00:00Z", "2023-13-01T00:00:00Z", "2023-06-22T24:00:00Z", "2023-06-22T15:13:34Z ",
  ])
  func anInstallationDateOfAnotherFormIsRefused(text: String) {
    #expect(!Schema.Format.internetDateTime.allows(text))
  }

  @Test func aCallHasExactlyThreeFractionDigitsAndZ() {
    #expect(Schema.Format.millisecondDateTime.allows("2018-04-19T09:38:41.000Z"))
    #expect(!Schema.Format.millisecondDateTime.allows("2018-04-19T09:38:41Z"))
    #expect(!Schema.Format.millisecondDateTime.allows("2018-04-19T09:38:41.00Z"))
    #expect(!Schema.Format.millisecondDateTime.allows("2018-04-19T09:38:41.000+00:00"))
  }
}

extension Contract.Operation: CustomTestStringConvertible {
  public var testDescription: String { id }
}

extension API: CustomTestStringConvertible {
  public var testDescription: String { name }
}

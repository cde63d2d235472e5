import HTTP1
import JSON
import LiveTesting
import Primitives
import Testing

@testable import Contract
@testable import ControlAPI
@testable import Understudy

@Suite("The requests of openapi.yaml's examples")
struct DocumentedExampleTests {
  /// Operations that other examples need come first; those that remove things come last.
  private static let operations = (API.all + [.control]).flatMap { api in
    api.operations.map { (api: api, operation: $0) }
  }.sorted { rank($0.operation) < rank($1.operation) }

  private static func rank(_ operation: Contract.Operation) -> Int {
    switch operation.id {
    case "makeSandbox", "takeSnapshot": 0
    case "deleteSandbox": 2
    // A fault by hand strikes the requests after it.
    case "armFault": 3
    case "removeFault": 4
    case "removeFaults": 5
    default: 1
    }
  }

  private static func target(_ api: API, _ operation: Contract.Operation) -> String {
    let pairs = operation.documentation.parameters.filter { $0.location == .query }.compactMap { parameter in
      parameter.example.map { "\(parameter.name)=\($0.value.string ?? $0.value.text)" }
    }
    let path = (operation.semantics.isMerged ? "" : "/@" + api.name) + operation.example
    // Each parameter of a list narrows it, so only required parameters are combined.
    let needsAll = operation.documentation.parameters.contains { $0.location == .query && $0.isRequired }
    let query = needsAll ? pairs : operation.documentation.needsParameter ? Array(pairs.prefix(1)) : []
    return path + (query.isEmpty ? "" : "?" + query.joined(separator: "&"))
  }

  @Test("succeed one after the other on a fresh server, each with a body that fits its schema")
  func succeed() async throws {
    try await withServer { server in
      for (api, operation) in Self.operations {
        let target = Self.target(api, operation)
        let accept = operation.documentation.responses.first?.content.first?.mediaType ?? "*/*"
        let bodies = operation.documentation.body.map { $0.examples.map { Optional($0.value.text) } } ?? [nil]
        for body in bodies {
          let request = wire(
            operation.method.rawValue, target, "Accept: \(accept)",
            "Content-Type: \(operation.documentation.body?.mediaType ?? "text/plain")", body: body)
          let response = try exchange(server, request)
          let declared = operation.documentation.responses.first { $0.status == response.status }
          let isSuccess =
            (200..<300).contains(response.status) || operation.documentation.responses.allSatisfy { $0.status >= 400 }
          #expect(isSuccess && declared != nil, "\(operation.id) \(target): \(response.text)")
          guard let content = declared?.content.first, content.mediaType == "application/json" else { continue }
          let violations = content.schema.violations(in: try JSONValue(parsing: response.body))
          #expect(violations.isEmpty, "\(operation.id): \(violations)")
        }
      }
    }
  }

  @Test("that are addresses get a response of their media type")
  func lead() async throws {
    try await withServer { server in
      var count = 0
      for content in Self.operations.flatMap({ $0.operation.documentation.responses }).flatMap(\.content) {
        for address in content.examples.compactMap(\.address) {
          let response = try exchange(server, wire("GET", address, "Accept: \(content.mediaType)"))
          #expect(
            response.status == 200 && response["Content-Type"]?.hasPrefix(content.mediaType) == true, "\(address)")
          count += 1
        }
      }
      #expect(count >= 8)
    }
  }

  @Test("that violate HTTP get the parser's errors")
  func areTheParsers() {
    let examples: [(Problem, Rejection)] = [
      (.malformed, .hostRepeated), (.contentTooLarge, .bodyTooLarge), (.targetTooLong, .requestLineTooLong),
      (.expectationFailed, .expectationUnknown), (.fieldsTooLarge, .headTooLarge),
    ]
    for (problem, rejection) in examples {
      #expect(problem.status == rejection.status && problem.kind == rejection.kind)
      #expect(problem.title == ReasonPhrase.of(problem.status))
      #expect(problem.detail == "\(rejection.reason) (\(rejection.section))")
    }
  }
}

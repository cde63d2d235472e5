import Contract
import JSON
import Primitives
import Testing

@testable import Services
@testable import Understudy

@Suite struct ServicesTests {
  @Test func everyAPIHasAServiceAtItsIndex() {
    #expect(ServiceCatalogue.all.map { $0.contract.name } == API.all.map(\.name))
  }

  @Test(arguments: API.all.indices)
  func everySeedFitsTheSchemaOfItsData(api: Int) throws {
    let seed = try JSONValue(parsing: ServiceCatalogue.all[api].seed)
    #expect(API.all[api].data.violations(in: seed) == [])
  }

  @Test(arguments: API.all.indices)
  func everyStateIsRestoredFromItsData(api: Int) throws {
    let now = Instant(seconds: 1_687_446_814)
    let state = try make(ServiceCatalogue.all[api], JSONValue(parsing: ServiceCatalogue.all[api].seed), now)
    #expect(API.all[api].data.violations(in: state.data) == [])
    let again = try make(ServiceCatalogue.all[api], state.data, Instant(seconds: 0))
    #expect(again.data == state.data)
  }

  private func make(_ type: any Service.Type, _ data: JSONValue, _ now: Instant) throws -> any Service {
    try type.init(data: data, at: now)
  }

  @Test(arguments: API.all.indices)
  func everyOperationHasAHandler(api: Int) throws {
    let service = ServiceCatalogue.all[api]
    var state = try make(service, JSONValue(parsing: service.seed), Instant(seconds: 0))
    for (index, operation) in API.all[api].operations.enumerated() {
      let call = Call(operation: index, arguments: ["unknown", "unknown"])
      let reply = state.respond(to: call)
      #expect(
        operation.documentation.responses.contains { $0.status == reply.status }, "\(operation.id) \(reply.status)")
    }
  }

  /// Each response is declared: its status, its media type, and every member of its body.
  @Test(arguments: API.all.indices)
  func everyResponseToAnExampleFitsTheContract(api: Int) throws {
    let seed = try JSONValue(parsing: ServiceCatalogue.all[api].seed)
    for (index, operation) in API.all[api].operations.enumerated() {
      var state = try make(ServiceCatalogue.all[api], seed, Instant(seconds: 1_687_446_814))
      let arguments = operation.documentation.parameters.filter { $0.location == .path }.map {
        $0.example?.value.idText ?? ""
      }
      let body = operation.documentation.body?.examples.first?.value.bytes() ?? []
      let query = operation.documentation.parameters.filter { $0.location == .query }.prefix(1).map { parameter in
        parameter.name + "=" + PercentCoding.encodeSegment(parameter.example?.value.idText ?? "")
      }
      let reply = state.respond(
        to: Call(
          operation: index, arguments: arguments, query: Query(parsing: Array(query.joined().utf8)[...]),
          body: body[...],
          contentType: Array("application/json".utf8)[...]))
      let response = try #require(
        operation.documentation.responses.first { $0.status == reply.status }, "\(operation.id)")
      let isRefused = operation.documentation.responses.allSatisfy { $0.status >= 400 }
      #expect(reply.status < 300 || isRefused, "\(operation.id)")
      #expect(reply.changed == false || operation.semantics.changesState, "\(operation.id)")
      // A refusal is written as a problem later.
      if isRefused { continue }
      guard let content = response.content.first else {
        #expect(reply.representation == nil, "\(operation.id)")
        continue
      }
      let representation = try #require(reply.representation, "\(operation.id)")
      #expect(representation.mediaType.rawValue.hasPrefix(content.mediaType), "\(operation.id)")
      guard content.mediaType == "application/json" else { continue }
      #expect(content.schema.violations(in: try JSONValue(parsing: representation.bytes)) == [], "\(operation.id)")
    }
  }
}

@Suite("Arrays in chunks")
struct ChunkedArrayTests {
  @Test("a write changes its element, and no copy made before", arguments: [1, 255, 256, 257, 1_000])
  func write(count: Int) {
    let numbers = Array(0..<count)
    for index in Set([0, count / 2, count - 1]) {
      var chunked = ChunkedArray(numbers)
      let earlier = chunked
      chunked[index] = -1
      #expect(chunked.elementsEqual(numbers.map { $0 == index ? -1 : $0 }))
      #expect(earlier.elementsEqual(numbers))
    }
    #expect(ChunkedArray([Int]()).isEmpty)
  }
}

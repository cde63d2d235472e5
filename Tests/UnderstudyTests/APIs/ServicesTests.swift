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

  @Test("every seed fits the schema of its data", arguments: API.all.indices)
  func everySeedFitsTheSchemaOfItsData(api: Int) throws {
    let seed = try JSONValue(parsing: ServiceCatalogue.all[api].seed)
    #expect(API.all[api].data.violations(in: seed) == [])
  }

  @Test("every state is restored from its data", arguments: API.all.indices)
  func everyStateIsRestoredFromItsData(api: Int) throws {
    let now = Instant(seconds: 1_687_446_814)
    let state = try make(ServiceCatalogue.all[api], JSONValue(parsing: ServiceCatalogue.all[api].seed), now)
    #expect(API.all[api].data.violations(in: state.data) == [])
    let again = try make(ServiceCatalogue.all[api], state.data, Instant(seconds: 0))
    #expect(again.data == state.data)
  }

  private func make(_ type: any Service.Type, _ data: JSONValue, _ now: Instant) throws -> Document {
    try Document(type.data(data, at: now), of: type)
  }

  @Test(
    "a repeated id is refused with its position",
    arguments: [
      (0, "", "id", "expected a unique id, found WWM-0001-12 a second time"),
      (1, "", "id", "expected a unique id, found 7834 a second time"),
      (3, "", "id", "expected a unique id, found 1 a second time"),
      (4, "rooms", "name", "expected a unique name, found Ljerka a second time"),
    ])
  func aRepeatedIDIsRefusedWithItsPosition(api: Int, list: String, id: String, detail: String) throws {
    let seed = try JSONValue(parsing: ServiceCatalogue.all[api].seed)
    let records = (list.isEmpty ? seed : seed[list])?.array ?? []
    let twice = JSONValue.array(records + records.prefix(1))
    let root = list.isEmpty ? JSONPointer.root : .root / list
    #expect(throws: ValidationError(root / records.count / id, detail)) {
      try make(ServiceCatalogue.all[api], list.isEmpty ? twice : [list: twice], Instant(seconds: 0))
    }
  }

  @Test("every operation has a handler", arguments: API.all.indices)
  func everyOperationHasAHandler(api: Int) throws {
    let service = ServiceCatalogue.all[api]
    var state = try make(service, JSONValue(parsing: service.seed), Instant(seconds: 0))
    for (index, operation) in API.all[api].operations.enumerated() {
      let call = Call(operation: index, arguments: ["unknown", "unknown"])
      let reply = service.handlers.respond(to: call, &state)
      #expect(
        operation.documentation.responses.contains { $0.status == reply.status }, "\(operation.id) \(reply.status)")
    }
  }

  @Test("only operations that are declared to do so change the state", arguments: API.all.indices)
  func onlyOperationsThatAreDeclaredToDoSoChangeTheState(api: Int) throws {
    let seed = try JSONValue(parsing: ServiceCatalogue.all[api].seed)
    for (index, operation) in API.all[api].operations.enumerated() where !operation.semantics.changesState {
      var state = try make(ServiceCatalogue.all[api], seed, Instant(seconds: 1_687_446_814))
      let documentation = operation.documentation
      let arguments = documentation.parameters.filter { $0.location == .path }.map { $0.example?.value.idText ?? "" }
      let body = documentation.body?.examples.first?.value.bytes() ?? []
      let call = Call(
        operation: index, arguments: arguments, body: body[...], contentType: Array("application/json".utf8)[...])
      let reply = ServiceCatalogue.all[api].handlers.respond(to: call, &state)
      #expect(!reply.changed, "\(operation.id)")
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

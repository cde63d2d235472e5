import Contract
import Foundation
import JSON
import LiveTesting
import Primitives
import Testing

@testable import Understudy

@Suite("The declared effects of operations")
struct DeclaredEffectTests {
  @Test("every operation that changes state declares its effect, and only reads declare shown records")
  func declared() {
    for operation in API.all.flatMap(\.operations) {
      if operation.semantics.changesState {
        #expect([.sets, .adds].contains(operation.effect.kind), "\(operation.id)")
      }
      if operation.effect.kind == .reads { #expect(operation.method == .get, "\(operation.id)") }
      if case .member(let name) = operation.effect.record {
        let inQuery = operation.documentation.parameters.contains { $0.location == .query && $0.name == name }
        #expect(inQuery || operation.documentation.body != nil, "\(operation.id) has no \(name)")
      }
    }
  }

  @Test("the members that can be set one by one follow from the schemas of bodies")
  func registers() throws {
    let registers = Dictionary(uniqueKeysWithValues: API.all.map { ($0.name, $0.registers) })
    #expect(registers["devices"] == ["type", "meterPointDescription", "installationDate"])
    #expect(registers["activities"] == ["is_archived"])
    #expect(registers["house"] == [] && registers["users"] == [] && registers["booking"] == [])
    #expect(API.booking.records.list(in: ["rooms": [["name": "Ema"]]]).count == 1)
    #expect(API.devices.records.list(in: [["id": "A"], ["id": "B"]]).count == 2)
  }

  @Test("the polling interval and the lifetime of a response are declared")
  func times() {
    let limited = API.all.flatMap(\.operations).filter { $0.caching.pollingInterval == .seconds(60) }
    #expect(limited.map(\.id).sorted() == ["getLocationWeather", "getWeatherCold", "getWeatherHot", "getWeatherWarm"])
    #expect(Contract.Operation.named("getRoomImage")?.caching.lifetime == .seconds(315_360_000))
    #expect(Contract.Operation.named("listBookingRooms")?.caching.lifetime == .seconds(600))
    #expect(Contract.Operation.named("getDevice")?.caching.lifetime == nil)
  }

  @Test("the report names no operation and no API")
  func namesNothing() throws {
    let sources = Repository.root.appending(path: "Sources/Report")
    let names = API.all.map { "\"\($0.name)\"" }
    let ids = API.all.flatMap(\.operations).map(\.id)
    var count = 0
    for case let file as URL in try #require(
      FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
    where file.pathExtension == "swift" {
      count += 1
      let text = try String(contentsOf: file, encoding: .utf8)
      for name in names + ids { #expect(!text.contains(name), "\(file.lastPathComponent): \(name)") }
    }
    #expect(count > 20)
  }
}

import Contract
import JSON
import Primitives
import Testing

@testable import Services
@testable import Understudy

@Suite struct DevicesTests {
  var devices: Acting<DeviceInventory>

  init() throws { devices = try Acting(DeviceInventory.self) }

  @Test mutating func aShortListIsNotLongAfterManyChangesOfOneRecord() throws {
    let operation = try #require(DeviceInventory.contract.operations.firstIndex { $0.id == "listDevices" })
    let list = Call(operation: operation)
    for day in 1...1_000 {
      let body = #"{"meterPointDescription":"\#(day)"}"#
      #expect(try devices.ask("patchDevice", ["WWM-0001-12"], body: body).changed)
    }
    #expect(!DeviceInventory.isLong(list, devices.state.size))
  }

  @Test mutating func aPatchWithTheStoredValuesChangesNothing() throws {
    let tag = try devices.ask("listDevices").representation?.tag
    for body in ["{}", #"{"installationDate":null}"#, #"{"id":"WWM-0001-12","type":"warm_water"}"#] {
      let response = try devices.ask("patchDevice", ["WWM-0001-12"], body: body)
      #expect(response.status == 200)
      #expect(!response.changed)
    }
    #expect(try devices.ask("listDevices").representation?.tag == tag)
  }

  @Test mutating func everyKeyCanBeWritten() throws {
    let body = #"{"meterPointDescription":"Café","type":"cold_water","installationDate":"2020-02-29T00:00:00Z"}"#
    #expect(try devices.ask("patchDevice", ["HEA-8127-29"], body: body).changed)
    #expect(
      try devices.ask("getDevice", ["HEA-8127-29"]).text == """
        {"id":"HEA-8127-29","type":"cold_water","meterPointDescription":"Café",\
        "installationDate":"2020-02-29T00:00:00Z"}
        """)
  }

  @Test mutating func allBadKeysAreNamedAndNothingIsWritten() throws {
    let body = #"""
      {"id":"","type":"gas","meterPointDescription":"","installationDate":"2023-07-05T15:13:34.000Z","colour":1}
      """#
    let response = try devices.ask("patchDevice", ["WWM-0001-12"], body: body)
    #expect(response.status == 400)
    #expect(response.indices == ["/id", "/type", "/meterPointDescription", "/installationDate", "/colour"])
    #expect(!response.changed)
    let mixed = try devices.ask("patchDevice", ["WWM-0001-12"], body: #"{"type":"heating","colour":1}"#)
    #expect(mixed.indices == ["/colour"])
    #expect(try devices.ask("getDevice", ["WWM-0001-12"]).json()["type"] == "warm_water")
  }

  @Test func nowInTheDataIsTheTimeOfTheStatesCreation() throws {
    let later = try Acting(DeviceInventory.self, at: Instant(seconds: 1_700_000_000))
    #expect(later.state.data.array?.last?["installationDate"] == "2023-11-14T22:13:20Z")
  }

  @Test func tenThousandDevicesAreListedAndPatchedOneByOne() throws {
    let many = (0..<10_000).map { number -> JSONValue in
      ["id": .string("D-\(number)"), "type": "heating", "meterPointDescription": "x", "installationDate": nil]
    }
    var devices = try Acting<DeviceInventory>(data: .array(many))
    for number in stride(from: 0, to: 10_000, by: 3) {
      let response = try devices.ask("patchDevice", ["D-\(number)"], body: #"{"type":"cold_water"}"#)
      #expect(response.changed)
    }
    let list = try devices.ask("listDevices").json().array ?? []
    #expect(list.count == 10_000)
    #expect(list.filter { $0["type"] == "cold_water" }.count == 3_334)
    #expect(list == devices.state.data.array)
  }

  @Test mutating func aCopyIsASnapshot() throws {
    let snapshot = devices
    _ = try devices.ask("patchDevice", ["WWM-0001-12"], body: #"{"type":"heating"}"#)
    #expect(snapshot.state.data.array?.first?["type"] == "warm_water")
    #expect(devices.state.data.array?.first?["type"] == "heating")
  }
}

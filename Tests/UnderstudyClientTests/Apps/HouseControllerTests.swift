import Foundation
import Testing

@testable import UnderstudyClient

@Suite("The house")
struct HouseControllerTests {
  private static let rooms = #"{"rooms":{"Bedroom":{"fixtures":["Light1","AC"]}}}"#
  private static let conditioner = Fixture("AC", in: "Bedroom")

  private func house(
    _ transport: any Transport, _ store: MemoryFileStore, _ clock: TestClock = TestClock()
  ) async throws -> HouseController {
    try await HouseController(.scripted(transport, clock), path: "/d/house", store: store)
  }

  private static func transport(_ temperature: Double) -> ScriptedTransport {
    ScriptedTransport { request, _ in
      if request.url.path.contains("/api/location") { return .reply(200, WeatherText.report(temperature)) }
      return .reply(200, request.url.path.hasSuffix("/rooms") ? rooms : "true")
    }
  }

  @Test(
    "turns the air conditioning on above 25 °C, off below, and leaves it at exactly 25 °C",
    arguments: [
      (25.000_001, AirConditioningRule.turnOn, ["on"]), (31, .turnOn, ["on"]), (25, .leave, []),
      (24.999_999, .turnOff, ["off"]), (-3, .turnOff, ["off"]),
    ])
  func rule(_ temperature: Double, _ rule: AirConditioningRule, _ switched: [String]) async throws {
    #expect(AirConditioningRule(temperature: temperature) == rule)
    let transport = Self.transport(temperature)
    let house = try await house(transport, MemoryFileStore())
    try await house.refresh()
    #expect(try await house.followWeatherOnce() == rule)
    await house.waitUntilSwitched()
    #expect(try await house.followWeatherOnce() == rule)
    await house.waitUntilSwitched()
    let paths = await transport.requests.map(\.url.path).filter { $0.contains("/AC/") }
    #expect(paths == switched.map { "/@ci-42/Bedroom/AC/\($0)" }, "once, however often the weather is looked at")
    #expect(await house.state.shown(Self.conditioner) == (rule == .leave ? nil : rule == .turnOn))
    #expect(AirConditioningRule(temperature: .nan) == .leave)
  }

  @Test("asks for the weather once a minute, also over a restart")
  func weatherInterval() async throws {
    let (clock, store, transport) = (TestClock(), MemoryFileStore(), Self.transport(30))
    let first = try await house(transport, store, clock)
    for _ in 0..<10 { try await first.followWeatherOnce() }
    clock.advance(by: .seconds(30))
    let second = try await house(transport, store, clock)
    await #expect(throws: RequestError.notSent(.tooSoon(.seconds(30)))) { try await second.followWeatherOnce() }
    #expect(await second.state.temperature == 30, "what was known is shown")
    clock.advance(by: .seconds(30))
    try await second.followWeatherOnce()
    #expect(await transport.requests.filter { $0.url.path.contains("/api/") }.count == 2)
  }

  @Test("shows the last known state offline, and says that it is from the disk")
  func offline() async throws {
    let store = MemoryFileStore()
    let first = try await house(Self.transport(20), store)
    try await first.refresh()
    await first.turn(Self.conditioner, on: true)
    await first.waitUntilSwitched()
    let second = try await house(ScriptedTransport(.offline), store)
    await #expect(throws: RequestError.notSent(.offline)) { try await second.refresh() }
    let state = await second.state
    #expect(state.isFromDisk && state.isOn == [Self.conditioner: true])
    #expect(state.rooms == [HouseRoom(name: "Bedroom", fixtures: ["Light1", "AC"])])
    #expect(state.date == (await first.state.date))
    let torn = MemoryFileStore(files: ["/d/house": Data("torn".utf8)])
    #expect(try await house(Self.transport(20), torn).damagedFile?.path == "/d/house.damaged-1")
  }

  @Test("switches without waiting, the newest wish last, and takes back what failed")
  func switching() async throws {
    let gate = Gate()
    let arrived = Gate()
    let transport = ScriptedTransport { request, _ in
      await arrived.open()
      await gate.pass()
      return request.url.path.hasSuffix("Light1/on") ? .reply(404) : .reply(200, "true")
    }
    let house = try await house(transport, MemoryFileStore())
    await house.turn(Self.conditioner, on: true)
    #expect(await house.state.shown(Self.conditioner) == true, "shown before the answer")
    await arrived.pass()
    for isOn in [false, true, false] { await house.turn(Self.conditioner, on: isOn) }
    let light = Fixture("Light1", in: "Bedroom")
    await house.turn(light, on: true)
    await gate.open()
    await house.waitUntilSwitched()
    let paths = await transport.requests.map(\.url.lastPathComponent)
    #expect(paths.count == 3 && paths.first == "on")
    let state = await house.state
    #expect(state.isOn == [Self.conditioner: false] && state.switching.isEmpty)
    #expect(state.failures == [light: .rejected(Rejection(status: 404))])
  }

  @Test("does not pretend to know after an unknown outcome")
  func unknownOutcome() async throws {
    let transport = ScriptedTransport(.reply(200, "true"), .lost)
    let house = try await house(transport, MemoryFileStore())
    await house.turn(Self.conditioner, on: true)
    await house.waitUntilSwitched()
    await house.turn(Self.conditioner, on: false)
    await house.waitUntilSwitched()
    #expect(await house.state.shown(Self.conditioner) == nil)
  }

  @Test("the list of users is reversed and without the owner")
  func users() async throws {
    let user = #"""
      {"id":%,"name":"N","username":"U","email":"E","address":{"street":"S","suite":"S","city":"C","zipcode":"Z",
      "geo":{"lat":"1","lng":"2"}},"phone":"P","website":"W","company":{"name":"N","catchPhrase":"C","bs":"B"}}
      """#
    let list = [1, 2, 11].map { user.replacing("%", with: "\($0)") }.joined(separator: ",")
    let client = try BackendClient.scripted(ScriptedTransport(.reply(200, "[\(list)]")))
    #expect(try await client.fetchUsers(ownerID: "1").map(\.id) == [11, 2])
    #expect(try await client.fetchUsers(ownerID: "01").map(\.id) == [11, 2, 1])
  }
}

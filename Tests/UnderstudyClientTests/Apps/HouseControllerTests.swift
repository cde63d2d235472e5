import Foundation
import LiveTesting
import Testing

@testable import UnderstudyClient

@Suite("The house controller")
struct HouseControllerTests {
  private static let rooms = #"{"rooms":{"Bedroom":{"fixtures":["Light1","AC"]}}}"#
  private static let conditioner = Fixture("AC", in: "Bedroom")

  private func house(
    _ transport: any Transport, _ store: MemoryFileStore, _ clock: TestClock = TestClock()
  ) async throws -> HouseController {
    try HouseController(.scripted(transport, clock), .memory(store))
  }

  private static func transport(_ temperature: Double) -> ScriptedTransport {
    ScriptedTransport { request, _ in
      if request.url.path.contains("/api/location") { return .response(200, WeatherText.report(temperature)) }
      if request.url.path.hasSuffix("/state") { return .response(404) }
      return .response(200, request.url.path.hasSuffix("/rooms") ? rooms : "true")
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
    let paths = await transport.requests.map(\.url.path).filter { $0.contains("/ac/") }
    #expect(paths == switched.map { "/@ci-42/bedroom/ac/\($0)" }, "once, however often the weather is looked at")
    #expect(await house.state.content.isShownOn(Self.conditioner) == (rule == .turnOn))
    #expect(AirConditioningRule(temperature: .nan) == .leave)
  }

  @Test("requests the weather at most once a minute, also across a restart")
  func weatherInterval() async throws {
    let (clock, store, transport) = (TestClock(), MemoryFileStore(), Self.transport(30))
    let first = try await house(transport, store, clock)
    for _ in 0..<10 { try await first.followWeatherOnce() }
    clock.advance(by: .seconds(30))
    let second = try await house(transport, store.relaunched(), clock)
    await #expect(throws: RequestError.notSent(.tooSoon(.seconds(30)))) { try await second.followWeatherOnce() }
    #expect(await second.state.temperature == 30, "what was known is shown")
    clock.advance(by: .seconds(30))
    try await second.followWeatherOnce()
    #expect(await transport.requests.filter { $0.url.path.contains("/api/") }.count == 2)
  }

  @Test("shows the last known state offline, and marks it as stored")
  func offline() async throws {
    let store = MemoryFileStore()
    let first = try await house(Self.transport(20), store)
    try await first.refresh()
    await first.turn(Self.conditioner, on: true)
    await first.waitUntilSwitched()
    let second = try await house(ScriptedTransport(.offline), store.relaunched())
    await #expect(throws: RequestError.notSent(.offline)) { try await second.refresh() }
    let state = await second.state
    #expect(state.isOn == [Self.conditioner: true] && state.failure == .notSent(.offline))
    #expect(state.rooms == [HouseRoom(name: "Bedroom", fixtures: ["Light1", "AC"])])
    #expect(await state.freshness == first.state.freshness.date.map { .stored($0) })
    let torn = MemoryFileStore(files: ["/d/house": Data("torn".utf8)])
    #expect(try await house(Self.transport(20), torn).damagedFile?.path == "/d/house.damaged-1")
  }

  @Test("shows a switch at once, sends the newest one last, and rolls back failures")
  func switching() async throws {
    let gate = Gate()
    let arrived = Gate()
    let transport = ScriptedTransport { request, _ in
      await arrived.open()
      await gate.pass()
      return request.url.path.hasSuffix("light1/on") ? .response(404) : .response(200, "true")
    }
    let house = try await house(transport, MemoryFileStore())
    await house.turn(Self.conditioner, on: true)
    #expect(await house.state.content.isShownOn(Self.conditioner), "shown before the answer")
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

  @Test("sends a switch to its listeners before the answer")
  func switchingUpdates() async throws {
    let mayAnswer = Gate()
    let transport = ScriptedTransport { _, _ in
      await mayAnswer.pass()
      return .response(200, "true")
    }
    let house = try await house(transport, MemoryFileStore())
    let updates = await house.updates()
    await house.turn(Self.conditioner, on: true)
    #expect(try await withinPatience { await updates.contains { $0.switching == [Self.conditioner: true] } })
    await mayAnswer.open()
    await house.waitUntilSwitched()
  }

  @Test("shows the previous state after an unknown outcome, and treats it as unconfirmed")
  func unknownOutcome() async throws {
    let transport = ScriptedTransport(.response(200, "true"), .lost)
    let house = try await house(transport, MemoryFileStore())
    await house.turn(Self.conditioner, on: true)
    await house.waitUntilSwitched()
    await house.turn(Self.conditioner, on: false)
    await house.waitUntilSwitched()
    let state = await house.state
    #expect(state.content.isShownOn(Self.conditioner) && state.isOn[Self.conditioner] == nil)
    #expect(state.failures[Self.conditioner] == .unknown(.connectionLost("cut")))
  }

  /// Returns a service that keeps the state of its fixtures and loses the responses to switches.
  private static func stateful(_ isOn: Bool) -> ScriptedTransport {
    ScriptedTransport { request, _ in
      if request.url.path.hasSuffix("/rooms") { return .response(200, rooms) }
      guard request.url.path.hasSuffix("/@house/state") else { return .lost }
      return .response(200, #"{"temperature":20.0,"rooms":{"Bedroom":{"Light1":false,"AC":\#(isOn)}}}"#)
    }
  }

  @Test("shows the state of every fixture after a refresh, and all as off if the service has no state")
  func fixtureState() async throws {
    let known = try await house(Self.stateful(true), MemoryFileStore()).refresh()
    #expect(known.fixtures.map { known.content.isShownOn($0) } == [false, true])
    #expect(known.isOn.count == 2)
    let unknown = try await house(Self.transport(20), MemoryFileStore()).refresh()
    #expect(unknown.fixtures.map { unknown.content.isShownOn($0) } == [false, false])
    #expect(unknown.isOn.isEmpty)
  }

  @Test("reads the state of the fixture after an unknown outcome")
  func readsAgain() async throws {
    let house = try await house(Self.stateful(true), MemoryFileStore())
    for isOn in [true, false] {
      await house.turn(Self.conditioner, on: isOn)
      await house.waitUntilSwitched()
      let state = await house.state
      #expect(state.isOn[Self.conditioner] == true && (state.failures[Self.conditioner] == nil) == isOn)
    }
  }

  @Test("follows the chosen weather source, each at most once a minute, also across a restart")
  func weatherSources() async throws {
    let transport = ScriptedTransport { request, _ in
      .response(200, WeatherText.report(request.url.path.hasSuffix("/hot") ? 30 : 20))
    }
    let (clock, store) = (TestClock(), MemoryFileStore())
    for isRelaunched in [false, true] {
      let house = try await house(transport, isRelaunched ? store.relaunched() : store, clock)
      for source in [WeatherSource.cold, .hot, .cold] {
        await house.setWeatherSource(source)
        _ = try? await house.followWeatherOnce()
      }
    }
    let paths = await transport.requests.map(\.url.lastPathComponent)
    #expect(paths == ["cold", "hot"])
  }

  @Test("requests everything when the network is back, though only the weather is followed")
  func networkReturned() async throws {
    let transport = Self.transport(20)
    let client = try BackendClient.scripted(transport) {
      $0.clock.sleep = { _ in try await Task.sleep(for: .seconds(3_600)) }
    }
    let house = HouseController(client, .memory())
    let following = Task { await house.followWeather() }
    for await state in await house.updates() where state.temperature == 20 { break }
    await house.networkReturned()
    #expect(await house.state.rooms.count == 1)
    following.cancel()
    await following.value
    #expect(await transport.requests.filter { $0.url.path.contains("/api/") }.count == 1)
  }

  @Test("reports why the weather is unknown")
  func weatherFailure() async throws {
    let house = try await house(ScriptedTransport(.offline), MemoryFileStore())
    await #expect(throws: RequestError.notSent(.offline)) { try await house.followWeatherOnce() }
    #expect(await house.state.weatherFailure == .notSent(.offline))
  }
}

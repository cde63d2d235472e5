import Contract
import Foundation

extension BackendClient {
  /// A smart home and the weather outside (source: `GET /rooms`, `GET /{room}/{fixture}/on` and `off`, `/weather/…`,
  /// `/api/location/2165352/`).
  public var house: HouseCalls { HouseCalls(client: self) }
}

/// The operations of the house API.
public struct HouseCalls: Sendable {
  let client: BackendClient

  /// Returns the rooms in the server's order.
  public func rooms() async throws -> [HouseRoom] {
    try await client.value(of: listing())
  }

  func listing() -> Call<[HouseRoom]> { call("listHouseRooms", decode: HouseRoom.list) }

  /// Returns the fixtures that are on; nil if the service keeps no state, like the original one.
  ///
  /// Only the house's own origin serves the state. If one origin serves all APIs, it is found by the API's label.
  public func switches() async throws -> [Fixture: Bool]? {
    do throws(RequestError) {
      return try await fetchSwitches()
    } catch {
      throw error.surfaced
    }
  }

  func fetchSwitches() async throws(RequestError) -> [Fixture: Bool]? {
    let base = client.endpoints.house
    for origin in [base.appendingPathComponent("@house"), base] {
      do throws(RequestError) {
        let call = Call("getHouseState", of: .house, at: origin) { try $0.decoded(as: SwitchState.self) }
        return try await client.perform(call).value.switches
      } catch {
        guard case .rejected(let reason) = error, [400, 404, 405].contains(reason.status) else { throw error }
      }
    }
    return nil
  }

  private struct SwitchState: Decodable {
    var rooms: [String: [String: Bool]]

    var switches: [Fixture: Bool] {
      var switches: [Fixture: Bool] = [:]
      for (room, fixtures) in rooms {
        for (name, isOn) in fixtures { switches[Fixture(name, in: room)] = isOn }
      }
      return switches
    }
  }

  /// Switches a fixture. The request sets an absolute value, so it is retried after a lost response.
  ///
  /// - Throws: `.rejected` with 404 if the room or the fixture does not exist.
  public func turn(_ fixture: Fixture, on isOn: Bool) async throws {
    try await client.value(of: turning(fixture, on: isOn))
  }

  func turning(_ fixture: Fixture, on isOn: Bool) -> Call<Void> {
    let path = [Fixture.slug(fixture.room), Fixture.slug(fixture.name)]
    return call(isOn ? "turnFixtureOn" : "turnFixtureOff", path) { response in
      guard try response.decoded(as: Bool.self) else { throw UnreadableBody("The response is not true.") }
    }
  }

  /// Returns the weather in Hong Kong.
  ///
  /// The service allows one request per minute. Within a minute of the last one, this returns the known report
  /// (`source` is then `.cache`), or throws `.notSent(.tooSoon)` if that request failed. It is never retried.
  public func weather() async throws -> CachedValue<WeatherReport> {
    try await weather(from: .metaWeather)
  }

  /// Returns the weather of a source, with at most one request per minute for each, like `weather()`.
  public func weather(from source: WeatherSource) async throws -> CachedValue<WeatherReport> {
    do throws(RequestError) {
      return try await fetchWeather(from: source)
    } catch {
      throw error.surfaced
    }
  }

  /// - Parameter reserve: Returns the time since a request that another client, or an earlier run of the app, made in this
  ///   minute; nil if there is none. It is called just before a request.
  func fetchWeather(
    from source: WeatherSource, reserve: @Sendable () async -> Duration? = { nil }
  ) async throws(RequestError) -> CachedValue<WeatherReport> {
    let base = source == .metaWeather ? client.endpoints.weather : client.endpoints.house
    return try await weather(source.rawValue, at: base, reserve)
  }

  /// Returns the places whose name contains this text; case is ignored.
  public func places(named text: String) async throws -> [WeatherPlace] {
    try await places([("query", text)])
  }

  /// Returns the places around a point, the nearest first.
  ///
  /// - Parameters:
  ///   - latitude: Degrees north, from -90 to 90.
  ///   - longitude: Degrees east, from -180 to 180.
  /// - Throws: `.rejected` with 400 if these are not valid coordinates.
  public func places(nearLatitude latitude: Double, longitude: Double) async throws -> [WeatherPlace] {
    try await places([("lattlong", "\(latitude),\(longitude)")])
  }

  private func places(_ query: [(String, String)]) async throws -> [WeatherPlace] {
    let call = Call("searchPlaces", of: .house, at: client.endpoints.weather, query: query) { response in
      try response.decoded(as: [WeatherPlace].self)
    }
    return try await client.value(of: call)
  }

  /// Returns a cold day, for demonstrations: 20 °C. At most one request per minute, like `weather()`.
  public func coldWeather() async throws -> CachedValue<WeatherReport> {
    try await weather(from: .cold)
  }

  /// Returns a hot day, at the path of the original service: 30 °C. At most one request per minute, like `weather()`.
  public func warmWeather() async throws -> CachedValue<WeatherReport> {
    try await weather(from: .warm)
  }

  /// Returns a hot day: 30 °C. At most one request per minute, like `weather()`.
  public func hotWeather() async throws -> CachedValue<WeatherReport> {
    try await weather(from: .hot)
  }

  private func weather(
    _ id: String, at base: URL, _ reserve: @Sendable () async -> Duration?
  ) async throws(RequestError) -> CachedValue<WeatherReport> {
    switch await client.memory.weatherAction(id, at: client.configuration.clock.elapsed()) {
    case .use(let report): return report
    case .wait(let duration): throw .notSent(.tooSoon(duration))
    case .send: break
    }
    if let ago = await reserve() {
      await client.memory.moveWeatherRequest(id, back: ago)
      throw .notSent(.tooSoon(WeatherRequest.interval - ago))
    }
    var call = Call(id, of: .house, at: base) { response in
      let report: WeatherReport = try response.decoded()
      guard !report.days.isEmpty else { throw UnreadableBody("The report has no day.") }
      return report
    }
    call.maximumAttempts = 1
    let report = try await client.perform(call).fetched
    await client.memory.recordWeather(id, report)
    return report
  }

  private func call<Value>(
    _ id: String, _ arguments: [String] = [], decode: @escaping @Sendable (TransportResponse) throws -> Value
  ) -> Call<Value> {
    Call(id, of: .house, at: client.endpoints.house, arguments: arguments, decode: decode)
  }
}

public import Foundation

/// A house that can be seen offline and switched without waiting.
public actor HouseController {
  let client: BackendClient
  private let file: DurableFile
  /// The house as it is to be shown.
  public private(set) var state: HouseState
  /// Where a file that could not be understood was set aside when this controller was opened.
  public nonisolated let damagedFile: URL?
  /// Why the state could last not be kept on disk; nil when it could.
  public private(set) var storageError: StorageError?
  private var broadcast = Broadcast<HouseState>()
  private var wanted: [Fixture: Bool] = [:]
  private var workers: [Fixture: Task<Void, Never>] = [:]
  private var weatherAskedAt: Date?
  /// What is on disk.
  private var kept: KeptHouse?

  /// Opens the controller with the state that was last kept.
  ///
  /// - Parameters:
  ///   - client: Asks the house and the weather.
  ///   - url: The file of the last known state; its directory must exist.
  public init(_ client: BackendClient, file url: URL) async throws(StorageError) {
    try await self.init(client, path: url.path, store: DiskFileStore())
  }

  init(_ client: BackendClient, path: String, store: any FileStore) async throws(StorageError) {
    self.client = client
    file = DurableFile(path: path, kind: "understudy-house", store: store)
    let loaded = try file.load(as: KeptHouse.self)
    kept = loaded.value
    state = loaded.value?.state ?? HouseState()
    weatherAskedAt = loaded.value?.weatherAskedAt
    damagedFile = loaded.setAside.map { URL(fileURLWithPath: $0) }
    guard let asked = weatherAskedAt else { return }
    let clock = client.configuration.clock
    // A clock that was set back since must not silence the weather for longer than a minute.
    let ago = min(max(clock.date().timeIntervalSince(asked), 0), 3_600)
    await client.memory.weatherWasAsked(HouseCalls.locationWeather, at: clock.elapsed() - .seconds(ago))
  }

  /// The state now and after each change.
  public func updates() -> AsyncStream<HouseState> {
    let (updates, continuation) = AsyncStream.makeStream(of: HouseState.self, bufferingPolicy: .bufferingNewest(1))
    broadcast.add(continuation) { [weak self] id in Task { await self?.stopListening(id) } }
    continuation.yield(state)
    return updates
  }

  /// Asks for the rooms. The last known ones stay if that fails.
  @discardableResult
  public func refresh() async throws(RequestError) -> [HouseRoom] {
    let rooms = try await client.house.rooms()
    confirm { $0.rooms = rooms }
    return rooms
  }

  /// Begins to switch a fixture and returns at once; `updates()` tell how it goes.
  ///
  /// Of several wishes for one fixture only the newest counts. It is sent when the one under way is over.
  public func turn(_ fixture: Fixture, on isOn: Bool) {
    wanted[fixture] = isOn
    state.switching[fixture] = isOn
    state.failures[fixture] = nil
    publish()
    guard workers[fixture] == nil else { return }
    workers[fixture] = Task { await work(on: fixture) }
  }

  /// Waits until nothing is being switched.
  public func waitUntilSwitched() async {
    while let worker = workers.values.first { await worker.value }
  }

  private func work(on fixture: Fixture) async {
    while let isOn = wanted.removeValue(forKey: fixture) {
      var failure: RequestError?
      do throws(RequestError) {
        try await client.house.turn(fixture, on: isOn)
      } catch {
        failure = error
      }
      if wanted[fixture] == nil { state.switching[fixture] = nil }
      if let failure {
        if wanted[fixture] == nil { state.failures[fixture] = failure }
        if case .unknown = failure { state.isOn[fixture] = nil }
        keep()
        publish()
      } else {
        confirm { $0.isOn[fixture] = isOn }
      }
    }
    workers[fixture] = nil
  }

  /// Asks for the weather, at most once a minute, and switches every air conditioner as it demands: above 25 °C on,
  /// below it off, exactly at 25 °C not at all. What is known to be as it should be is not switched again.
  ///
  /// - Returns: What the weather demands.
  @discardableResult
  public func followWeatherOnce() async throws(RequestError) -> AirConditioningRule {
    weatherAskedAt = await client.weatherQuestionDate() ?? client.configuration.clock.date()
    keep()
    let report = try await client.house.weather()
    let rule = AirConditioningRule(temperature: report.value.temperature ?? .nan)
    confirm { $0.temperature = report.value.temperature }
    if rule != .leave {
      let isOn = rule == .turnOn
      for fixture in state.fixtures where fixture.name == "AC" && state.shown(fixture) != isOn {
        turn(fixture, on: isOn)
      }
    }
    return rule
  }

  /// Follows the weather until the task is cancelled; what goes wrong with a question is left to the next.
  ///
  /// - Parameter interval: How often to look; the weather itself is asked for once a minute at most.
  public func followWeather(every interval: Duration = .seconds(60)) async {
    while !Task.isCancelled {
      _ = try? await followWeatherOnce()
      do { try await client.configuration.clock.sleep(interval) } catch { return }
    }
  }

  private func confirm(_ change: (inout HouseState) -> Void) {
    change(&state)
    state.date = client.configuration.clock.date()
    state.isFromDisk = false
    keep()
    publish()
  }

  private func keep() {
    let house = KeptHouse(state, weatherAskedAt: weatherAskedAt)
    guard house != kept else { return }
    do {
      try file.save(value: house)
      kept = house
      storageError = nil
    } catch {
      storageError = error
    }
  }

  private func publish() { broadcast.send(state) }

  private func stopListening(_ id: UUID) { broadcast.remove(id) }
}

extension BackendClient {
  /// When the weather was last asked for, if that is less than a minute ago.
  fileprivate func weatherQuestionDate() async -> Date? {
    let now = configuration.clock.elapsed()
    guard let question = await memory.weather[HouseCalls.locationWeather], question.wait(at: now) != nil else {
      return nil
    }
    return configuration.clock.date() - (now - question.askedAt).inSeconds
  }
}

public import Foundation

/// A house that can be displayed offline and switched without waiting.
public actor HouseController {
  let client: BackendClient
  /// The weather source that the air conditioning follows; see `setWeatherSource(_:)`.
  public private(set) var weatherSource: WeatherSource
  private var copy: ServerCopy<StoredHouse>
  private var switching: [Fixture: Bool] = [:]
  private var failures: [Fixture: RequestError] = [:]
  private var weatherFailure: RequestError?
  private var broadcast = Broadcast<ModelState<House>>()
  private var requested: [Fixture: Bool] = [:]
  private var workers: [Fixture: Task<Void, Never>] = [:]
  /// The number of the change by which the server last confirmed a fixture.
  private var confirmations: [Fixture: Int] = [:]
  let wakeUps = WakeUps()
  private let weatherWakeUps = WakeUps()

  /// Creates the controller. The stored house is read when it is needed.
  ///
  /// - Parameters:
  ///   - client: The client for the house and the weather.
  ///   - directory: The directory of its file, which is created if it does not exist.
  ///   - weatherSource: The weather to follow.
  public init(_ client: BackendClient, directory: URL, weatherSource: WeatherSource = .metaWeather) {
    self.init(client, ModelDirectory(directory), weatherSource: weatherSource)
  }

  init(_ client: BackendClient, _ directory: ModelDirectory, weatherSource: WeatherSource = .metaWeather) {
    self.client = client
    self.weatherSource = weatherSource
    let copy = ServerCopy(directory.file("house"), initial: StoredHouse())
    self.copy = copy
    copy.onChange { [weak self] in Task { await self?.noteChange() } }
  }

  /// The name under which a damaged file was set aside.
  public var damagedFile: URL? { copy.damagedFile }

  /// The current house.
  public var state: ModelState<House> {
    copy.state(copy.value.house(switching: switching, failures: failures, weatherFailure))
  }

  /// The current house, and the house after each change.
  public func updates() -> AsyncStream<ModelState<House>> {
    broadcast.stream(from: state) { [weak self] id in Task { await self?.stopListening(id) } }
  }

  /// Sets the weather source of the air conditioning, from the next request on.
  public func setWeatherSource(_ source: WeatherSource) { weatherSource = source }

  /// Requests the rooms and, if the service keeps it, the state of the fixtures. If that fails, the content stays, and
  /// the state has the reason.
  @discardableResult
  public func refresh() async throws -> ModelState<House> {
    noteOthersChange()
    let refresh = copy.beginRefresh()
    publish()
    do throws(RequestError) {
      let rooms = try await client.perform(client.house.listing()).fetched
      // The rooms are shown even if the state of their fixtures cannot be read.
      change(confirmedAt: rooms.date) { $0.rooms = rooms.value }
      let fetched = try await client.house.fetchSwitches() ?? [:]
      noteOthersChange()
      let switches = fetched.filter { isCurrent($0.key, refresh) }
      copy.end(refresh, at: rooms.date) { house in
        for (fixture, isOn) in switches { house.set(fixture, isOn) }
      }
      publish()
      return state
    } catch {
      copy.end(refresh, with: error)
      publish()
      throw error.surfaced
    }
  }

  /// Returns true if a refresh's response is newer than every other information about a fixture.
  private func isCurrent(_ fixture: Fixture, _ refresh: ServerCopy<StoredHouse>.Refresh) -> Bool {
    switching[fixture] == nil && (confirmations[fixture] ?? 0) <= refresh.changeCount
  }

  /// Starts to switch a fixture and returns at once; `updates()` reports the progress.
  ///
  /// Only the newest request for a fixture counts. It is sent when the current one has finished.
  public func turn(_ fixture: Fixture, on isOn: Bool) {
    requested[fixture] = isOn
    switching[fixture] = isOn
    failures[fixture] = nil
    publish()
    guard workers[fixture] == nil else { return }
    workers[fixture] = Task { await work(on: fixture) }
  }

  /// Waits until no fixture is being switched.
  public func waitUntilSwitched() async {
    while let worker = workers.values.first { await worker.value }
  }

  private func work(on fixture: Fixture) async {
    while let isOn = requested.removeValue(forKey: fixture) {
      do throws(RequestError) {
        _ = try await client.perform(client.house.turning(fixture, on: isOn))
        confirm(fixture, isOn)
      } catch {
        await doubt(fixture, error)
        if requested[fixture] == nil { failures[fixture] = state.isOn[fixture] == isOn ? nil : error }
      }
      if requested[fixture] == nil { switching[fixture] = nil }
      publish()
    }
    workers[fixture] = nil
  }

  private func confirm(_ fixture: Fixture, _ isOn: Bool) {
    change(confirmedAt: client.configuration.clock.date()) { $0.set(fixture, isOn) }
    confirmations[fixture] = copy.changeCount
  }

  /// Reads the state of a fixture after a switching with an unknown outcome.
  private func doubt(_ fixture: Fixture, _ error: RequestError) async {
    guard case .unknown = error else { return }
    change { $0.doubt(fixture) }
    confirmations[fixture] = copy.changeCount
    guard requested[fixture] == nil, let known = try? await client.house.switches()?[fixture] else { return }
    confirm(fixture, known)
  }

  /// Requests the weather, at most once a minute, and switches every air conditioner accordingly: on above 25 °C, off
  /// below, unchanged at exactly 25 °C. An air conditioner that is known to be in the required state is not switched.
  ///
  /// - Returns: The action that the weather requires.
  @discardableResult
  public func followWeatherOnce() async throws -> AirConditioningRule {
    let source = weatherSource
    do throws(RequestError) {
      let report = try await client.house.fetchWeather(from: source) { [self] in await reserveWeather(source) }
      let rule = AirConditioningRule(temperature: report.value.temperature ?? .nan)
      weatherFailure = nil
      change(confirmedAt: report.date) { $0.temperature = report.value.temperature }
      publish()
      if rule != .leave {
        let (isOn, state) = (rule == .turnOn, state)
        for fixture in state.fixtures
        where fixture.name == "AC" && (state.switching[fixture] ?? state.isOn[fixture]) != isOn {
          turn(fixture, on: isOn)
        }
      }
      return rule
    } catch {
      if !error.isCancellation { weatherFailure = error }
      publish()
      throw error.surfaced
    }
  }

  /// Reserves the minute of a weather request in the file, so that neither another model nor a later run of the app
  /// requests the weather again too soon.
  ///
  /// - Returns: The time since the request that has this minute; nil if it is free.
  private func reserveWeather(_ source: WeatherSource) -> Duration? {
    let now = client.configuration.clock.date()
    var ago: Duration?
    change { house in
      // A clock that was set back must not suppress weather requests for longer than a minute.
      ago = house.weatherAskedAt[source.rawValue].map { .seconds(max(0, now.timeIntervalSince($0))) }
      if let past = ago, past < WeatherRequest.interval { return }
      ago = nil
      house.weatherAskedAt[source.rawValue] = now
    }
    return ago
  }

  /// Requests the rooms, the state of the fixtures and the weather until the task is cancelled: at once, at this
  /// interval, and after `networkReturned()`. It switches the air conditioners like `followWeatherOnce()`.
  ///
  /// - Parameter interval: The time between two checks; the weather itself is requested at most once a minute.
  public func follow(every interval: Duration = .seconds(60)) async {
    await wakeUps.loop(client.configuration.clock, every: interval) { [self] in
      _ = try? await refresh()
      _ = try? await followWeatherOnce()
      return client.varied(interval)
    }
  }

  /// Follows only the weather until the task is cancelled; the state has the reason of a failed request.
  ///
  /// - Parameter interval: The time between two checks; the weather itself is requested at most once a minute.
  public func followWeather(every interval: Duration = .seconds(60)) async {
    await weatherWakeUps.loop(client.configuration.clock, every: interval) { [self] in
      _ = try? await followWeatherOnce()
      return interval
    }
  }

  /// Requests everything at once, and ends requests that have no response yet. Call it when the system reports that a
  /// network is available again.
  public func networkReturned() async {
    let isFollowed = wakeUps.send(endingRounds: true)
    let isWeatherFollowed = weatherWakeUps.send(endingRounds: true)
    guard !isFollowed else { return }
    _ = try? await refresh()
    if !isWeatherFollowed { _ = try? await followWeatherOnce() }
  }

  private func noteChange() {
    noteOthersChange()
    publish()
  }

  /// Notes what another model has changed: what it knows of a fixture is newer than the response to a running refresh.
  private func noteOthersChange() {
    guard let before = copy.countOthersChange() else { return }
    for fixture in copy.value.fixtures(otherThanIn: before) { confirmations[fixture] = copy.changeCount }
  }

  private func change(confirmedAt date: Date? = nil, _ body: (inout StoredHouse) -> Void) {
    noteOthersChange()
    copy.change(confirmedAt: date, body)
  }

  private func publish() { broadcast.send(state) }

  private func stopListening(_ id: UUID) { broadcast.remove(id) }
}

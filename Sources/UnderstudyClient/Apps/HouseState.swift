public import Foundation

/// The house as it was last known.
public struct HouseState: Sendable, Hashable {
  /// In the server's order.
  public var rooms: [HouseRoom] = []
  /// What is known to be on or off; a fixture that is not in here was never switched, or with unknown outcome.
  public var isOn: [Fixture: Bool] = [:]
  /// What is being switched at this moment, and to what.
  public var switching: [Fixture: Bool] = [:]
  /// Why a fixture's last switching failed; until it is switched again.
  public var failures: [Fixture: RequestError] = [:]
  /// Degrees Celsius outside.
  public var temperature: Double?
  /// When the server last confirmed any of it; nil if it never did.
  public var date: Date?
  /// Whether nothing of it was confirmed since the app was started: it is what the disk held.
  public var isFromDisk = false

  public init() {}

  /// What a switch is to show: where it is going, or where it is; nil where nobody knows.
  public func shown(_ fixture: Fixture) -> Bool? { switching[fixture] ?? isOn[fixture] }

  /// All fixtures, in the order of the rooms.
  public var fixtures: [Fixture] { rooms.flatMap { room in room.fixtures.map { Fixture($0, in: room.name) } } }
}

/// What of it is kept on disk.
struct KeptHouse: Sendable, Equatable, Codable {
  var rooms: [HouseRoom]
  var isOn: [Switch]
  var temperature: Double?
  var date: Date?
  /// When the weather was last asked for.
  var weatherAskedAt: Date?

  struct Switch: Sendable, Equatable, Codable {
    var fixture: Fixture
    var isOn: Bool
  }

  init(_ state: HouseState, weatherAskedAt: Date?) {
    rooms = state.rooms
    isOn = state.isOn.map { Switch(fixture: $0.key, isOn: $0.value) }
      .sorted { ($0.fixture.room, $0.fixture.name) < ($1.fixture.room, $1.fixture.name) }
    temperature = state.temperature
    date = state.date
    self.weatherAskedAt = weatherAskedAt
  }

  var state: HouseState {
    var state = HouseState()
    state.rooms = rooms
    for entry in isOn { state.isOn[entry.fixture] = entry.isOn }
    state.temperature = temperature
    state.date = date
    state.isFromDisk = true
    return state
  }
}

import Foundation

/// A house, for display.
public struct House: Sendable, Hashable {
  /// The rooms in the server's order.
  public var rooms: [HouseRoom] = []
  /// The fixtures whose state the server has confirmed.
  public var isOn: [Fixture: Bool] = [:]
  /// The fixtures that are being switched, with their new state.
  public var switching: [Fixture: Bool] = [:]
  /// The reasons of the last failed switchings, until the fixtures are switched again.
  public var failures: [Fixture: RequestError] = [:]
  /// The last confirmed states of fixtures whose last switching has an unknown outcome.
  public var doubtful: [Fixture: Bool] = [:]
  /// Degrees Celsius outside.
  public var temperature: Double?
  /// The reason for which the last weather request failed.
  public var weatherFailure: RequestError?

  /// Creates an empty house, for previews.
  public init() {}

  /// Returns true if a fixture is to be displayed as on: in the requested state, or else the confirmed one. If neither is
  /// known it is off, because the original service does not keep a state.
  public func isShownOn(_ fixture: Fixture) -> Bool {
    switching[fixture] ?? isOn[fixture] ?? doubtful[fixture] ?? false
  }

  /// All fixtures, in the order of the rooms.
  public var fixtures: [Fixture] { rooms.flatMap { room in room.fixtures.map { Fixture($0, in: room.name) } } }
}

/// The part of a house that is stored on disk.
struct StoredHouse: Sendable, Equatable, Codable {
  var rooms: [HouseRoom] = []
  private var switches: [Switch] = []
  var temperature: Double?
  /// The times of the last weather requests, by source.
  var weatherAskedAt: [String: Date] = [:]

  private struct Switch: Sendable, Equatable, Codable {
    var fixture: Fixture
    var isOn: Bool
    /// False after a switching with an unknown outcome.
    var isCertain: Bool
  }

  func isOn(_ fixture: Fixture) -> Bool? { switches.first { $0.fixture == fixture && $0.isCertain }?.isOn }

  /// Returns the fixtures whose state differs from that in another house.
  func fixtures(otherThanIn other: StoredHouse) -> [Fixture] {
    switches.filter { !other.switches.contains($0) }.map(\.fixture)
  }

  mutating func set(_ fixture: Fixture, _ isOn: Bool) {
    switches.removeAll { $0.fixture == fixture }
    switches.append(Switch(fixture: fixture, isOn: isOn, isCertain: true))
  }

  mutating func doubt(_ fixture: Fixture) {
    guard let index = switches.firstIndex(where: { $0.fixture == fixture }) else { return }
    switches[index].isCertain = false
  }

  func house(switching: [Fixture: Bool], failures: [Fixture: RequestError], _ weatherFailure: RequestError?) -> House {
    var house = House()
    house.rooms = rooms
    for entry in switches {
      if entry.isCertain { house.isOn[entry.fixture] = entry.isOn } else { house.doubtful[entry.fixture] = entry.isOn }
    }
    house.switching = switching
    house.failures = failures
    house.temperature = temperature
    house.weatherFailure = weatherFailure
    return house
  }
}

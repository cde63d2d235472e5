import JSON

/// A room of the house and the names of its fixtures.
public struct HouseRoom: Sendable, Hashable, Codable {
  /// The name, by which it is addressed.
  public var name: String
  /// The names of its fixtures.
  public var fixtures: [String]

  /// Creates a room, for previews and tests.
  public init(name: String, fixtures: [String]) {
    self.name = name
    self.fixtures = fixtures
  }

  /// Parses the rooms in the order in which they were sent, which `JSONDecoder` would lose.
  static func list(_ response: TransportResponse) throws -> [HouseRoom] {
    guard let rooms = try JSONValue(parsing: Array(response.text))["rooms"]?.object else {
      throw UnreadableBody("The object «rooms» is missing.")
    }
    return try rooms.members.map { member in
      let fixtures = member.value["fixtures"]?.array?.map(\.string)
      guard let fixtures, !fixtures.contains(nil) else {
        throw UnreadableBody("The room «\(member.name)» has no list of fixtures.")
      }
      return HouseRoom(name: member.name, fixtures: fixtures.compactMap(\.self))
    }
  }
}

/// A device in a room that can be switched on and off.
public struct Fixture: Sendable, Hashable, Codable {
  /// The name of the room.
  public var room: String
  /// The name, by which it is addressed.
  public var name: String

  /// Returns a name as it stands in the path of the service's documentation: `living-room`.
  static func slug(_ name: String) -> String {
    name.lowercased().split(separator: " ").joined(separator: "-")
  }

  /// Creates a fixture from its name and that of its room.
  public init(_ name: String, in room: String) {
    self.name = name
    self.room = room
  }
}

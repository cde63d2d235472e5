public import Foundation

/// A room whose spots can be booked. Its name is its identity: the server has no other.
public struct MeetingRoom: Sendable, Hashable, Codable, Identifiable {
  /// The name, by which it is booked.
  public var name: String
  /// The number of spots that can still be booked.
  public var spots: Int
  /// An absolute URL.
  public var thumbnail: URL

  public var id: String { name }
  /// True if no spot is free.
  public var isFull: Bool { spots == 0 }

  /// Creates a room, for previews and tests.
  public init(name: String, spots: Int, thumbnail: URL) {
    self.name = name
    self.spots = spots
    self.thumbnail = thumbnail
  }

  /// The body of the service's list.
  struct List: Decodable {
    var rooms: [MeetingRoom]
  }
}

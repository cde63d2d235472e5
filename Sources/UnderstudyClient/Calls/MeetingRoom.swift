public import Foundation

/// A room whose spots can be booked. Its name is its identity: the server has no other.
public struct MeetingRoom: Sendable, Hashable, Codable, Identifiable {
  public var name: String
  /// The number of spots that can still be booked.
  public var spots: Int
  /// An absolute URL.
  public var thumbnail: URL

  public var id: String { name }
  public var isFull: Bool { spots == 0 }

  public init(name: String, spots: Int, thumbnail: URL) {
    self.name = name
    self.spots = spots
    self.thumbnail = thumbnail
  }
}

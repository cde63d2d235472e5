/// The meeting rooms, for display.
public struct RoomList: Sendable, Hashable {
  /// The rooms sorted by spots: the most first, full rooms last.
  public var rooms: [RoomItem]
  /// All bookings that were made on this device, the oldest first.
  public var bookings: [RoomBooking]

  /// Creates a list, for previews.
  public init(rooms: [RoomItem] = [], bookings: [RoomBooking] = []) {
    self.rooms = rooms
    self.bookings = bookings
  }

  /// Returns the rooms with this availability.
  public func rooms(_ availability: RoomItem.Availability) -> [RoomItem] {
    rooms.filter { $0.availability == availability }
  }

  /// Returns the bookings of one user, the oldest first.
  public func bookings(of user: String) -> [RoomBooking] { bookings.filter { $0.user == user } }
}

/// A meeting room, with its availability.
public struct RoomItem: Sendable, Hashable, Identifiable {
  /// The server's room.
  public var room: MeetingRoom
  /// The room's availability, by the threshold of the board.
  public var availability: Availability

  public var id: String { room.id }

  /// Creates a room of the list, for previews.
  public init(room: MeetingRoom, availability: Availability) {
    self.room = room
    self.availability = availability
  }

  /// The availability of a room.
  public enum Availability: Sendable, Hashable, CaseIterable {
    case free
    /// Few spots are free.
    case runningLow
    case full
  }
}

extension MeetingRoom {
  /// Returns the room's availability.
  ///
  /// - Parameter threshold: The maximum number of spots of a room that is running low.
  func availability(runningLowAt threshold: Int) -> RoomItem.Availability {
    isFull ? .full : spots <= threshold ? .runningLow : .free
  }

  /// Sorts rooms: the most spots first, full rooms last; rooms with equal spots keep the server's order.
  static func byAvailability(_ rooms: [MeetingRoom]) -> [MeetingRoom] {
    rooms.enumerated()
      .sorted { ($1.element.spots, $0.offset) < ($0.element.spots, $1.offset) }
      .map(\.element)
  }
}

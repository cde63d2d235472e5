/// The meeting rooms, as a screen shows them.
public struct RoomList: Sendable, Hashable {
  /// The rooms with the most spots first, the full ones last.
  public var rooms: [RoomItem]
  /// All bookings that were made on this device, the oldest first.
  public var bookings: [RoomBooking]

  public init(rooms: [RoomItem] = [], bookings: [RoomBooking] = []) {
    self.rooms = rooms
    self.bookings = bookings
  }

  /// The rooms of this availability.
  public func rooms(_ availability: RoomItem.Availability) -> [RoomItem] {
    rooms.filter { $0.availability == availability }
  }

  /// The bookings of one user, the oldest first.
  public func bookings(of user: String) -> [RoomBooking] { bookings.filter { $0.user == user } }
}

/// A meeting room, with its availability.
public struct RoomItem: Sendable, Hashable, Identifiable {
  public var room: MeetingRoom
  public var availability: Availability

  public var id: String { room.id }

  public init(room: MeetingRoom, availability: Availability) {
    self.room = room
    self.availability = availability
  }

  public enum Availability: Sendable, Hashable, CaseIterable {
    case free
    /// Few spots are left.
    case runningLow
    case full
  }
}

extension MeetingRoom {
  /// - Parameter threshold: The number of spots up to which a room is running low.
  func availability(runningLowAt threshold: Int) -> RoomItem.Availability {
    isFull ? .full : spots <= threshold ? .runningLow : .free
  }

  /// Sorts rooms: the most spots first, the full last; what has equally many stays in the server's order.
  static func byAvailability(_ rooms: [MeetingRoom]) -> [MeetingRoom] {
    rooms.enumerated()
      .sorted { ($1.element.spots, $0.offset) < ($0.element.spots, $1.offset) }
      .map(\.element)
  }
}

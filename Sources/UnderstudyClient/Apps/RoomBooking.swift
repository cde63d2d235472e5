public import Foundation

/// A user's intention to take one spot in a room.
///
/// It has the key under which the server knows the booking, so that one intention is one booking: however often it is
/// tapped, sent, or taken up again after a relaunch.
public struct BookingIntention: Sendable, Hashable, Codable, Identifiable {
  /// The key under which the server recognises the booking.
  public let id: String
  /// The user who wants the spot: a name or an id, as the app has it.
  public let user: String
  public let room: String

  public init(toBook room: String, for user: String, id: String = UUID().uuidString) {
    self.id = id
    self.user = user
    self.room = room
  }
}

/// A booking that was asked for on this device.
public struct RoomBooking: Sendable, Hashable, Codable, Identifiable {
  /// The intention's id, which is also the key under which the server knows the booking.
  public let id: String
  /// The user who has the spot: a name or an id, as the app has it.
  public let user: String
  public let room: String
  public let date: Date
  public var state: State

  public enum State: String, Sendable, Hashable, Codable {
    /// It was sent, and may have been taken; `RoomBoard.settle` finds out.
    case unknown
    case booked
  }

  var intention: BookingIntention { BookingIntention(toBook: room, for: user, id: id) }
}

/// The reason for which a room could not be booked.
public enum BookingError: Error, Sendable, Hashable {
  /// No spot is left. Nothing was booked.
  case full
  /// There is no such room. Nothing was booked.
  case noSuchRoom
  /// As `RequestError` says: only with `.unknown` may a spot have been taken.
  case request(RequestError)
  /// The booking could not be noted on disk, so it was not sent.
  case storage(StorageError)
}

extension BookingError {
  /// - Parameter isFirst: True if the booking was never sent before: then what did not arrive now never did.
  init(_ error: RequestError, isFirst: Bool) {
    switch error {
    case .rejected(let reason) where reason.isTemporary && !isFirst: self = .request(.unknown(error.obstacle))
    case .rejected(let reason) where reason.status == 409 && !reason.isKeyInFlight: self = .full
    case .rejected(let reason) where reason.status == 404: self = .noSuchRoom
    case .rejected: self = .request(error)
    case .notSent where isFirst: self = .request(error)
    default: self = .request(.unknown(error.obstacle))
    }
  }

  /// True if a spot may have been taken.
  var mayBeBooked: Bool { if case .request(.unknown) = self { true } else { false } }
}

public import Foundation

/// A user's intention to book one spot in a room.
///
/// It contains the key by which the server identifies the booking, so that one intention is one booking, however often
/// it is tapped, sent, or resumed after a relaunch.
public struct BookingIntention: Sendable, Hashable, Codable, Identifiable {
  /// The key by which the server identifies the booking.
  public let id: String
  /// The user who books the spot: a name or an id, as the app has it.
  public let user: String
  /// The name of the room.
  public let room: String

  /// Creates an intention to book one spot.
  ///
  /// - Parameters:
  ///   - room: The name of the room.
  ///   - user: The user who books the spot: a name or an id, as the app has it.
  ///   - id: The key by which the server identifies the booking; a new one by default.
  public init(room: String, user: String = RoomBooking.onlyUser, id: String = UUID().uuidString) {
    self.id = id
    self.user = user
    self.room = room
  }
}

/// A booking that was requested on this device.
public struct RoomBooking: Sendable, Hashable, Codable, Identifiable {
  /// The intention's id, which is also the server's key for the booking.
  public let id: String
  /// The user who has the spot: a name or an id, as the app has it.
  public let user: String
  /// The name of the room.
  public let room: String
  /// The time at which it was first sent.
  public let date: Date
  /// The outcome of the request, as far as it is known.
  public var state: State
  /// True if an earlier tap had booked it, so that this one sent nothing.
  public var isExisting = false

  /// The user of a device with one user.
  public static let onlyUser = ""

  private enum CodingKeys: CodingKey {
    case id, user, room, date, state
  }

  /// The outcome of a booking.
  public enum State: String, Sendable, Hashable, Codable {
    /// The request was sent, and may have been applied; see `RoomBoard.resolve(_:)`.
    case unknown
    case booked
  }

  var intention: BookingIntention { BookingIntention(room: room, user: user, id: id) }

  /// The booking, as a later tap gets it.
  var existing: RoomBooking {
    var booking = self
    booking.isExisting = true
    return booking
  }
}

/// The reason for which a room could not be booked.
public enum BookingError: Error, Sendable, Hashable {
  /// The room has no free spot. Nothing was booked.
  case full
  /// The room does not exist. Nothing was booked.
  case noSuchRoom
  /// The service takes no bookings: it only shows the rooms. Nothing was booked.
  case notOffered
  /// The request failed. Only with `.unknown` may a spot have been booked.
  case request(RequestError)
  /// The booking could not be stored on disk, so it was not sent.
  case storage(StorageError)
}

extension BookingError {
  /// Creates the error of a failed request.
  ///
  /// - Parameter isFirst: True if the booking was never sent before: a request that was not sent now has then never
  ///   been sent.
  init(_ error: RequestError, isFirst: Bool) {
    switch error {
    case .rejected(let reason) where !isFirst && !reason.settlesEarlierAttempts:
      self = .request(.unknown(error.obstacle))
    case .rejected(let reason) where reason.status == 409 && !reason.isKeyInFlight: self = .full
    case .rejected(let reason) where reason.status == 404: self = .noSuchRoom
    case .rejected(let reason) where reason.isNotOffered: self = .notOffered
    case .rejected: self = .request(error)
    case .notSent where isFirst: self = .request(error)
    default: self = .request(.unknown(error.obstacle))
    }
  }

  /// The error as a caller gets it: a cancellation is a `CancellationError`, unless a spot may have been booked.
  var surfaced: any Error {
    if case .request(let error) = self, error.surfaced is CancellationError { error.surfaced } else { self }
  }

  /// True if a spot may have been booked.
  var mayBeBooked: Bool { if case .request(.unknown) = self { true } else { false } }
}

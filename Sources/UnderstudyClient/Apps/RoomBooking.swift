public import Foundation

/// A booking that somebody asked for on this device.
public struct RoomBooking: Sendable, Hashable, Codable, Identifiable {
  /// Also the key under which the server knows it.
  public let id: String
  /// Whose booking it is: a name or an id, as the app has it.
  public let user: String
  public let room: String
  public let date: Date
  public var state: State

  public enum State: String, Sendable, Hashable, Codable {
    /// It was sent, and may have been taken; `RoomBoard.settle` finds out.
    case unknown
    case booked
  }
}

/// Why a room could not be booked.
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

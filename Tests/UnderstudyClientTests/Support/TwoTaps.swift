@testable import UnderstudyClient

extension RoomBoard {
  /// Books as a person taps who sees nothing happen: twice.
  func bookByTwoTaps(_ intention: BookingIntention) async throws(BookingError) -> RoomBooking {
    async let second = result(of: intention)
    let first = await result(of: intention)
    return try await second.flatMap { _ in first }.get()
  }

  private func result(of intention: BookingIntention) async -> Result<RoomBooking, BookingError> {
    do throws(BookingError) {
      return .success(try await book(intention))
    } catch {
      return .failure(error)
    }
  }
}

@testable import UnderstudyClient

extension RoomBoard {
  /// Books twice at once, like a user who taps again before the first response.
  func bookByTwoTaps(_ intention: BookingIntention) async throws -> RoomBooking {
    async let second = result(of: intention)
    let first = await result(of: intention)
    return try await second.flatMap { _ in first }.get()
  }

  private func result(of intention: BookingIntention) async -> Result<RoomBooking, any Error> {
    do {
      return .success(try await book(intention))
    } catch {
      return .failure(error)
    }
  }
}

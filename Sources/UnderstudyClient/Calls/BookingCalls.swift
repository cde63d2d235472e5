import Contract
public import Foundation

extension BackendClient {
  /// Meeting rooms that fill up (source: `GET /rooms.json`, `POST /bookRoom.json`, `GET /image/{room}`).
  public var booking: BookingCalls { BookingCalls(client: self) }
}

/// Calls to the booking API.
public struct BookingCalls: Sendable {
  let client: BackendClient

  /// The rooms, in the server's order.
  ///
  /// - Parameter maximumAge: How old a copy may be that is shown without asking. The server lets copies be used for ten
  ///   minutes; zero asks the server itself, past every cache.
  public func rooms(maximumAge: Duration = .zero) async throws(RequestError) -> Fetched<[MeetingRoom]> {
    struct List: Decodable {
      var rooms: [MeetingRoom]
    }
    var call = Call("listBookingRooms", of: .booking, at: client.endpoints.booking) { response in
      try response.decoded(as: List.self).rooms
    }
    call.acceptableAge = maximumAge > .zero ? maximumAge : nil
    return try await client.perform(call).fetched
  }

  /// Takes one spot.
  ///
  /// - Parameters:
  ///   - room: The name of the room.
  ///   - key: Names this one booking. The server takes a spot once for a key, however often it is sent; so a
  ///     booking of unknown outcome is settled by calling again with the same key and room.
  /// - Throws: `.notSent` for a key with a line break, `.rejected` with 409 where the room is full, 404 where there is none; `.unknown` when it may be booked.
  public func book(_ room: String, key: String) async throws(RequestError) {
    struct Answer: Decodable {
      var success: Bool
    }
    var call = Call("bookRoomByFile", of: .booking, at: client.endpoints.booking, repeatability: .always) { response in
      guard try response.decoded(as: Answer.self).success else { throw UnreadableBody("The answer is no success.") }
    }
    call.headers["Idempotency-Key"] = key
    call.body = try JSONBody.encode(["name": room])
    _ = try await client.perform(call)
  }

  /// The picture of a room, as PNG. It never changes, so copies are used for as long as there are any.
  public func image(of room: String) async throws(RequestError) -> Data {
    var call = Call("getRoomImage", of: .booking, at: client.endpoints.booking, arguments: [room]) { response in
      guard response.body.starts(with: [0x89, 0x50, 0x4E, 0x47]) else { throw UnreadableBody("It is no PNG.") }
      return response.body
    }
    call.headers["Accept"] = "image/png"
    call.acceptableAge = .seconds(315_360_000)
    return try await client.perform(call).value
  }

  /// Fetches a picture, or its next part, from wherever the list of rooms says that it is.
  func fetchPicture(at url: URL, _ request: PictureRequest) async throws(RequestError) -> StoredPicture {
    let date = client.configuration.clock.date()
    var call = Call("getRoomImage", at: url, acceptedStatuses: request.acceptedStatuses) { response in
      try request.picture(response, at: url, date)
    }
    call.headers = request.headers
    return try await client.perform(call).value
  }
}

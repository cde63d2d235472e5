import Contract
public import Foundation

extension BackendClient {
  /// Meeting rooms with a limited number of spots (source: `GET /rooms.json`, `POST /bookRoom.json`, `GET
  /// /image/{room}`).
  public var booking: BookingCalls { BookingCalls(client: self) }
}

/// The operations of the booking API.
public struct BookingCalls: Sendable {
  let client: BackendClient

  /// Returns the rooms, in the server's order.
  ///
  /// - Parameter maximumAge: The maximum age of a copy that is used without a request. The server allows ten minutes;
  ///   zero bypasses every cache.
  public func rooms(maximumAge: Duration = .zero) async throws -> CachedValue<[MeetingRoom]> {
    do throws(RequestError) {
      return try await client.perform(listing(maximumAge)).fetched
    } catch {
      throw error.surfaced
    }
  }

  func listing(_ maximumAge: Duration) -> Call<[MeetingRoom]> {
    var call = Call("listBookingRooms", of: .booking, at: client.endpoints.booking) { response in
      try response.decoded(as: MeetingRoom.List.self).rooms
    }
    call.acceptableAge = maximumAge > .zero ? maximumAge : nil
    return call
  }

  /// Books one spot.
  ///
  /// - Parameters:
  ///   - room: The name of the room.
  ///   - key: Identifies this booking. The server books one spot per key, however often it is sent; to resolve a
  ///     booking with an unknown outcome, call again with the same key and room.
  /// - Throws: `.notSent` for a key with a line break, `.rejected` with 409 if the room is full or 404 if it does not
  ///   exist, `.unknown` if the spot may be booked.
  public func book(_ room: String, key: String) async throws {
    try await client.value(of: booking(room, key))
  }

  func booking(_ room: String, _ key: String) throws(RequestError) -> Call<Void> {
    struct Answer: Decodable {
      var success: Bool
    }
    var call = Call("bookRoomByFile", of: .booking, at: client.endpoints.booking, repeatability: .always) { response in
      guard try response.decoded(as: Answer.self).success else {
        throw UnreadableBody("The response does not report success.")
      }
    }
    call.headers["Idempotency-Key"] = key
    call.body = try JSONBody.encode(["name": room])
    return call
  }

  /// Returns the picture of a room, as PNG. It never changes, so a copy is used as long as there is one.
  public func image(of room: String) async throws -> Data {
    var call = Call("getRoomImage", of: .booking, at: client.endpoints.booking, arguments: [room]) { response in
      guard response.body.starts(with: [0x89, 0x50, 0x4E, 0x47]) else {
        throw UnreadableBody("The picture is not a PNG.")
      }
      return response.body
    }
    call.headers["Accept"] = "image/png"
    call.acceptableAge = .seconds(315_360_000)
    return try await client.value(of: call)
  }

  /// Fetches a picture from the URL in the list of rooms, or confirms a stored one.
  func fetchPicture(at url: URL, confirming known: StoredPicture?) async throws(RequestError) -> StoredPicture {
    let date = client.configuration.clock.date()
    let tag = known?.etag
    var call = Call("getRoomImage", at: url, acceptedStatuses: tag == nil ? [200] : [200, 304]) { response in
      try StoredPicture(response, confirming: known, at: url, date)
    }
    call.headers = ["Accept": "image/png, image/jpeg"]
    call.headers["If-None-Match"] = tag
    return try await client.perform(call).value
  }
}

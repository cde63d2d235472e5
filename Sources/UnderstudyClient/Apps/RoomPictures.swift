import Contract
public import Foundation

/// A picture as stored on disk.
struct StoredPicture: Codable, Equatable, Sendable {
  var url: URL
  var etag: String?
  /// The bytes of a PNG or a JPEG.
  var content: Data
  /// The time at which the server last confirmed it; it is fresh for `lifetimeInSeconds` from then on.
  var date: Date
  var lifetimeInSeconds: Double

  func isFresh(at now: Date) -> Bool {
    let age = now.timeIntervalSince(date)
    // A date in the future comes from a wrong clock.
    return age >= 0 && age <= lifetimeInSeconds
  }
}

extension StoredPicture {
  /// Reads a response to a request for the picture.
  ///
  /// - Parameters:
  ///   - known: The stored picture that a 304 confirms.
  ///   - date: The time of the request.
  init(_ response: TransportResponse, confirming known: StoredPicture?, at url: URL, _ date: Date) throws {
    let lifetime = ResponseCache.CachedResponse.lifetime(response).inSeconds
    if response.status == 304, var known {
      (known.date, known.lifetimeInSeconds) = (date, lifetime)
      self = known
      return
    }
    guard response.body.starts(with: [0x89, 0x50, 0x4E, 0x47]) || response.body.starts(with: [0xFF, 0xD8, 0xFF]) else {
      throw UnreadableBody("The picture is neither PNG nor JPEG.")
    }
    self.init(
      url: url, etag: response.header("ETag"), content: response.body, date: date, lifetimeInSeconds: lifetime)
  }
}

extension RoomBoard {
  /// Returns the picture of a room, PNG or JPEG: from the disk while it is fresh or if the server cannot be reached,
  /// otherwise from the server.
  public func picture(of room: MeetingRoom) async throws -> Data {
    let url = room.thumbnail
    let file = directory.file("picture-" + String(EntityTag(of: Array(url.absoluteString.utf8)).hash, radix: 16))
    let loaded = try? file.load(as: StoredPicture.self)
    let known = loaded?.value.flatMap { $0.url == url ? $0 : nil }
    if let known, known.isFresh(at: client.configuration.clock.date()) { return known.content }
    do throws(RequestError) {
      let picture = try await client.booking.fetchPicture(at: url, confirming: known)
      // A picture that is not stored is fetched again.
      var mark = loaded?.mark
      try? file.save(picture, replacing: &mark)
      prunePictures(keeping: file.path)
      return picture.content
    } catch {
      guard let known else { throw error.surfaced }
      return known.content
    }
  }

  /// Deletes the pictures that were stored longest ago, until the others fit the board's capacity together with the
  /// newest.
  private func prunePictures(keeping path: String) {
    let files = ((try? directory.files(named: "picture-")) ?? []).sorted { $0.date < $1.date }
    var excess = files.reduce(-pictureCapacity) { $0 + $1.byteCount }
    for file in files where excess > 0 && file.path != path {
      try? directory.store.remove(file.path)
      excess -= file.byteCount
    }
  }
}

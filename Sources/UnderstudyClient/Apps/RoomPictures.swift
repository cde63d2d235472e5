import Contract
public import Foundation

/// The received part of a picture, as stored on disk.
struct StoredPicture: Codable, Equatable, Sendable {
  var url: URL
  var etag: String?
  /// The number of bytes of the whole picture.
  var byteCount: Int
  var bytes: Data
  /// The time at which the server last confirmed it; it is fresh for `lifetimeInSeconds` from then on.
  var date: Date
  var lifetimeInSeconds: Double

  var isComplete: Bool { bytes.count == byteCount }

  func isFresh(at now: Date) -> Bool {
    let age = now.timeIntervalSince(date)
    // A date in the future comes from a wrong clock.
    return age >= 0 && age <= lifetimeInSeconds
  }

  /// True if it begins like a PNG or a JPEG.
  var isPicture: Bool { bytes.starts(with: [0x89, 0x50, 0x4E, 0x47]) || bytes.starts(with: [0xFF, 0xD8, 0xFF]) }
}

/// A request for a picture, or for its next part.
struct PictureRequest {
  /// The number of bytes of the first part. It arrives within a try's timeout even at 2 KB per second.
  static let firstPartSize = 16_384
  static let maximumPartSize = 1 << 20
  /// A part that takes less time is followed by one of twice its size.
  static let quickPart = Duration.seconds(1)

  let known: StoredPicture?
  /// The number of bytes requested at a time: received parts remain when the next part is lost.
  var partSize = firstPartSize

  var headers: [String: String] {
    var headers = ["Accept": "image/png, image/jpeg"]
    guard let known else {
      headers["Range"] = "bytes=0-\(partSize - 1)"
      return headers
    }
    if known.isComplete {
      headers["If-None-Match"] = known.etag
    } else {
      headers["Range"] = "bytes=\(known.bytes.count)-\(known.bytes.count + partSize - 1)"
      headers["If-Range"] = known.etag
    }
    return headers
  }

  var acceptedStatuses: Set<Int> { known?.isComplete == true ? [200, 304] : [200, 206] }

  /// Returns the picture as far as it is known after a response.
  func picture(_ response: TransportResponse, at url: URL, _ date: Date) throws -> StoredPicture {
    let lifetime = ResponseCache.Entry.lifetime(response).inSeconds
    if response.status == 304, var known {
      (known.date, known.lifetimeInSeconds) = (date, lifetime)
      return known
    }
    var picture = StoredPicture(
      url: url, etag: response.header("ETag"), byteCount: response.body.count, bytes: response.body, date: date,
      lifetimeInSeconds: lifetime)
    if response.status == 206 {
      let part = try ContentRange(response.header("Content-Range") ?? "")
      let before = known.flatMap { $0.isComplete ? nil : $0.bytes } ?? Data()
      guard part.start == before.count, part.end - part.start + 1 == response.body.count else {
        throw UnreadableBody("The response is not the requested part.")
      }
      picture.bytes = before + response.body
      picture.byteCount = part.byteCount
    }
    guard picture.isPicture else { throw UnreadableBody("The picture is neither PNG nor JPEG.") }
    return picture
  }
}

/// A `Content-Range: bytes 0-99/200` field (RFC 9110 section 14.4).
struct ContentRange: Equatable {
  let start: Int
  let end: Int
  let byteCount: Int

  init(_ text: String) throws {
    let numbers = text.dropFirst(6).split(whereSeparator: { "-/".contains($0) }).map { Int($0) }
    guard text.lowercased().hasPrefix("bytes "), numbers.count == 3, let start = numbers[0], let end = numbers[1],
      let byteCount = numbers[2], start >= 0, start <= end, end < byteCount
    else { throw UnreadableBody("«\(text)» is not a range of bytes.") }
    (self.start, self.end, self.byteCount) = (start, end, byteCount)
  }
}

extension RoomBoard {
  /// Returns the picture of a room, PNG or JPEG: from the disk while it is fresh or if the server cannot be reached,
  /// otherwise from the server, continuing where an earlier call was interrupted.
  public func picture(of room: MeetingRoom) async throws -> Data {
    let url = room.thumbnail
    let file = directory.file("picture-" + String(EntityTag(of: Array(url.absoluteString.utf8)).hash, radix: 16))
    var known = (try? file.load(as: StoredPicture.self))?.value.flatMap { $0.url == url ? $0 : nil }
    let clock = client.configuration.clock
    if let known, known.isComplete, known.isFresh(at: clock.date()) { return known.bytes }
    do throws(RequestError) {
      var partSize = PictureRequest.firstPartSize
      repeat {
        let start = clock.elapsed()
        known = try await nextPart(of: url, PictureRequest(known: known, partSize: partSize))
        if clock.elapsed() - start < PictureRequest.quickPart {
          partSize = min(2 * partSize, PictureRequest.maximumPartSize)
        }
        // Without a strong tag, the next part could belong to another picture. A part that is not stored is fetched
        // again.
        if let known, known.isComplete || known.etag?.hasPrefix("\"") == true { try? file.save(value: known) }
      } while known?.isComplete == false
      prunePictures(keeping: file.path)
    } catch {
      guard let known, known.isComplete else { throw error.surfaced }
      return known.bytes
    }
    return known?.bytes ?? Data()
  }

  /// Fetches the next part, or begins again if the server does not have this part (416), because the picture has
  /// changed.
  private func nextPart(of url: URL, _ request: PictureRequest) async throws(RequestError) -> StoredPicture {
    do throws(RequestError) {
      return try await client.booking.fetchPicture(at: url, request)
    } catch {
      guard request.known != nil, case .rejected(let reason) = error, reason.status == 416 else { throw error }
      return try await client.booking.fetchPicture(at: url, PictureRequest(known: nil))
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

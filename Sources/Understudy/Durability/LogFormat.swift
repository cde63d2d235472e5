/// The bytes of a state log: a line that names the format and its version, then frames.
///
/// The first frame is an image of everything and was on the disk before the file got its name, so it must be whole.
/// Each frame after it is what one turn of the loop changed. It is written only when the one before it is on the disk,
/// so at most the last can be torn; anything else that is wrong has befallen the file since.
enum LogFormat {
  static let version = 1
  static let header = Array("understudy state \(version)\n".utf8)

  /// A frame is this marker, the payload's length, the frame's number, a checksum of these two and the payload, all
  /// little-endian, and then the payload. No JSON text holds the marker's first byte.
  private static let marker: [UInt8] = [0x00, 0x55, 0x53, 0x1E]
  static let overhead = 16
  /// Whatever claims to be longer is no frame.
  static let longestPayload = 1 << 30

  static func frame(_ payload: [UInt8], number: Int) -> [UInt8] {
    let covered = littleEndian(payload.count) + littleEndian(number)
    var checksum = CRC32C()
    checksum.update(covered)
    checksum.update(payload)
    var frame: [UInt8] = []
    frame.reserveCapacity(overhead + payload.count)
    frame += marker
    frame += covered
    frame += littleEndian(Int(checksum.value))
    frame += payload
    return frame
  }

  /// What a log holds.
  struct Content: Equatable {
    /// The payloads of its frames, the image first.
    var payloads: [ArraySlice<UInt8>] = []
    /// Where each of them begins.
    var offsets: [Int] = []
    /// Where the last whole frame ends. What lies behind it was never acknowledged.
    var end = 0
  }

  /// A file that must not be used: where it is wrong, and what was expected there.
  struct Flaw: Error, Equatable {
    let offset: Int
    let expectation: String
  }

  static func read(_ bytes: [UInt8]) throws(Flaw) -> Content {
    guard bytes.starts(with: header) else { throw flawOfHeader(bytes) }
    var content = Content(end: header.count)
    while content.end < bytes.count {
      guard let payload = payload(in: bytes, at: content.end, numbered: content.payloads.count + 1) else { break }
      content.payloads.append(payload)
      content.offsets.append(content.end)
      content.end = payload.endIndex
    }
    guard !content.payloads.isEmpty else { throw Flaw(offset: content.end, expectation: "the image of the state") }
    if let later = frame(from: content.end, in: bytes) {
      throw Flaw(
        offset: content.end,
        expectation:
          "frame \(content.payloads.count + 1), found none that is whole, though there is another at byte \(later)")
    }
    return content
  }

  private static func flawOfHeader(_ bytes: [UInt8]) -> Flaw {
    let name = Array("understudy state ".utf8)
    guard bytes.starts(with: name), let end = bytes.firstIndex(of: UInt8(ascii: "\n")), end < name.count + 10,
      let number = Int(String(decoding: bytes[name.count..<end], as: UTF8.self))
    else { return Flaw(offset: 0, expectation: "the line \"understudy state \(version)\"") }
    return Flaw(offset: name.count, expectation: "version \(version), found \(number): it needs another understudy")
  }

  /// The payload of the frame at a place, if a whole one stands there.
  ///
  /// - Parameter number: The frame's number, where it is known.
  private static func payload(in bytes: [UInt8], at place: Int, numbered number: Int?) -> ArraySlice<UInt8>? {
    guard place + overhead < bytes.count, bytes[place..<place + 4].elementsEqual(marker) else { return nil }
    let length = integer(in: bytes, at: place + 4)
    let start = place + overhead
    guard length > 0, length <= longestPayload, length <= bytes.count - start else { return nil }
    if let number, integer(in: bytes, at: place + 8) != number { return nil }
    var checksum = CRC32C()
    checksum.update(bytes[place + 4..<place + 12])
    checksum.update(bytes[start..<start + length])
    guard Int(checksum.value) == integer(in: bytes, at: place + 12) else { return nil }
    return bytes[start..<start + length]
  }

  /// Where the first whole frame stands from a place on.
  private static func frame(from place: Int, in bytes: [UInt8]) -> Int? {
    guard place < bytes.count else { return nil }
    return bytes.indices[place...].first { candidate in
      bytes[candidate] == marker[0] && payload(in: bytes, at: candidate, numbered: nil) != nil
    }
  }

  private static func littleEndian(_ value: Int) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
  }

  private static func integer(in bytes: [UInt8], at place: Int) -> Int {
    (0..<4).reduce(0) { $0 | Int(bytes[place + $1]) << ($1 * 8) }
  }
}

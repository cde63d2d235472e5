/// The format of a state log: a line with the format's name and version, then frames.
///
/// The first frame is a complete image, which was on the disk before the file got its name, so it must be complete.
/// Each further frame contains the changes of one turn of the loop. A frame is written only when its predecessor is on
/// the disk, so at most the last one can be torn; any other error means that the file was damaged later.
package enum LogFormat {
  package static let version = 1
  package static let header = Array("understudy state \(version)\n".utf8)

  /// A frame consists of this marker, the payload's length, the frame's number, a checksum of these two and the
  /// payload, all little-endian, and then the payload. No JSON text contains the marker's first byte.
  private static let marker: [UInt8] = [0x00, 0x55, 0x53, 0x1E]
  package static let overhead = 16
  /// The maximum number of bytes of a payload.
  package static let maximumPayload = 1 << 30

  package static func frame(_ payload: [UInt8], number: Int) -> [UInt8] {
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

  /// The content of a log.
  package struct Content: Equatable {
    /// The payloads of its frames, the image first.
    package var payloads: [ArraySlice<UInt8>] = []
    /// The offsets of the frames.
    package var offsets: [Int] = []
    /// The end of the last complete frame. Bytes after it were never acknowledged.
    package var end = 0
  }

  /// The error of an invalid file: its position, and the expectation.
  package struct LogError: Error, Equatable {
    package let offset: Int
    package let expectation: String
  }

  package static func read(_ bytes: [UInt8]) throws(LogError) -> Content {
    guard bytes.starts(with: header) else { throw headerError(bytes) }
    var content = Content(end: header.count)
    while content.end < bytes.count {
      guard let payload = payload(in: bytes, at: content.end, numbered: content.payloads.count + 1) else { break }
      content.payloads.append(payload)
      content.offsets.append(content.end)
      content.end = payload.endIndex
    }
    guard !content.payloads.isEmpty else { throw LogError(offset: content.end, expectation: "the image of the state") }
    if let later = frame(from: content.end, in: bytes) {
      throw LogError(
        offset: content.end,
        expectation:
          "frame \(content.payloads.count + 1), found an incomplete one, although there is another at byte \(later)")
    }
    return content
  }

  private static func headerError(_ bytes: [UInt8]) -> LogError {
    let name = Array("understudy state ".utf8)
    guard bytes.starts(with: name), let end = bytes.firstIndex(of: UInt8(ascii: "\n")), end < name.count + 10,
      let number = Int(String(decoding: bytes[name.count..<end], as: UTF8.self))
    else { return LogError(offset: 0, expectation: "the line \"understudy state \(version)\"") }
    return LogError(
      offset: name.count, expectation: "version \(version), found \(number): use an understudy of that version")
  }

  /// Returns the payload of the complete frame at an offset, if there is one.
  ///
  /// - Parameter number: The frame's number, if known.
  private static func payload(in bytes: [UInt8], at index: Int, numbered number: Int?) -> ArraySlice<UInt8>? {
    guard index + overhead < bytes.count, bytes[index..<index + 4].elementsEqual(marker) else { return nil }
    let length = integer(in: bytes, at: index + 4)
    let start = index + overhead
    guard length > 0, length <= maximumPayload, length <= bytes.count - start else { return nil }
    if let number, integer(in: bytes, at: index + 8) != number { return nil }
    var checksum = CRC32C()
    checksum.update(bytes[index + 4..<index + 12])
    checksum.update(bytes[start..<start + length])
    guard Int(checksum.value) == integer(in: bytes, at: index + 12) else { return nil }
    return bytes[start..<start + length]
  }

  /// Returns the offset of the first complete frame at or after an offset.
  private static func frame(from index: Int, in bytes: [UInt8]) -> Int? {
    guard index < bytes.count else { return nil }
    return bytes.indices[index...].first { candidate in
      bytes[candidate] == marker[0] && payload(in: bytes, at: candidate, numbered: nil) != nil
    }
  }

  private static func littleEndian(_ value: Int) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
  }

  private static func integer(in bytes: [UInt8], at index: Int) -> Int {
    (0..<4).reduce(0) { $0 | Int(bytes[index + $1]) << ($1 * 8) }
  }
}

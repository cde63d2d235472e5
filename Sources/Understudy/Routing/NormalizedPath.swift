import Primitives

/// A parsed path: its segments are percent-decoded and empty ones are skipped, so that `//users/` equals `/users`.
///
/// It is filled again for each request and keeps its storage.
struct NormalizedPath: Sendable {
  private(set) var bytes: [UInt8] = []
  private(set) var segments: [Range<Int>] = []
  /// The number of leading segments that were labels, and no longer count.
  private(set) var labelCount = 0

  init() {}

  var count: Int { segments.count - labelCount }

  mutating func read(_ message: [UInt8], _ range: Range<Int>) {
    bytes.removeAll(keepingCapacity: true)
    segments.removeAll(keepingCapacity: true)
    labelCount = 0
    var start = 0
    var index = range.lowerBound
    while index < range.upperBound {
      let byte = message[index]
      index += 1
      switch byte {
      case UInt8(ascii: "/"):
        close(&start)
      case UInt8(ascii: "%"):
        let end = min(index + 2, range.upperBound)
        bytes += PercentCoding.decodedBytes(message[index - 1..<end])
        index = end
      default:
        bytes.append(byte)
      }
    }
    close(&start)
  }

  private mutating func close(_ start: inout Int) {
    if bytes.count > start { segments.append(start..<bytes.count) }
    start = bytes.count
  }

  /// Removes the first remaining segment if it is a label, such as `@booking`, and returns its name.
  mutating func takeLabel() -> String? {
    guard count > 0 else { return nil }
    let segment = segments[labelCount]
    guard bytes[segment.lowerBound] == UInt8(ascii: "@") else { return nil }
    labelCount += 1
    return String(decoding: bytes[segment.dropFirst()], as: UTF8.self)
  }

  /// Returns the decoded text of a segment, counted after the labels.
  func text(_ index: Int) -> String {
    String(decoding: bytes[segments[labelCount + index]], as: UTF8.self)
  }

  /// Returns true if a segment has exactly these bytes.
  func segment(_ index: Int, equals literal: [UInt8]) -> Bool {
    let segment = segments[labelCount + index]
    guard segment.count == literal.count else { return false }
    for offset in 0..<literal.count where bytes[segment.lowerBound + offset] != literal[offset] { return false }
    return true
  }

  /// The path with normalized labels, slashes and encoding: the name of a stream of requests.
  var canonical: String {
    var text = ""
    for index in 0..<count { text += "/" + self.text(index) }
    return text.isEmpty ? "/" : text
  }
}

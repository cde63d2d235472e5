import Primitives

/// Counts the events of a stream, wherever its pieces are divided (HTML standard, section 9.2.6): a block of lines is an event
/// if it has a `data` field, and not if it only has a comment, an `id` or a `retry`.
struct EventCounter: Sendable {
  private(set) var count = 0
  /// The first bytes of the current line, up to those that tell whether its field is `data`.
  private var line: [UInt8] = []
  private var isFirstLine = true
  private var hasData = false
  /// True if the last byte was CR, after which LF belongs to the same line end.
  private var isAfterReturn = false

  /// Reads a piece, at most up to the end of an event; returns the number of bytes read.
  ///
  /// - Parameter limit: The number of the event.
  mutating func read(_ bytes: ArraySlice<UInt8>, upToEvent limit: Int) -> Int {
    for (offset, byte) in bytes.enumerated() {
      read(byte)
      if count >= limit { return offset + 1 }
    }
    return bytes.count
  }

  private mutating func read(_ byte: UInt8) {
    switch byte {
    case Byte.lineFeed where isAfterReturn: isAfterReturn = false
    case Byte.lineFeed, Byte.carriageReturn:
      isAfterReturn = byte == Byte.carriageReturn
      endLine()
    default:
      isAfterReturn = false
      if line.count < Self.byteOrderMark.count + Self.data.count + 1 { line.append(byte) }
    }
  }

  private mutating func endLine() {
    // A byte order mark may precede the first line.
    let text =
      isFirstLine && line.starts(with: Self.byteOrderMark)
      ? line[Self.byteOrderMark.count...] : line[...]
    if text.isEmpty {
      if hasData { count += 1 }
      hasData = false
    } else if text.elementsEqual(Self.data) || text.starts(with: Self.data + [Byte.colon]) {
      hasData = true
    }
    line.removeAll(keepingCapacity: true)
    isFirstLine = false
  }

  private static let data = Array("data".utf8)
  private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
}

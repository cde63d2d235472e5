/// The field section of a head and its meaning. Most clients repeat it with each request of a connection, and the same
/// bytes are not parsed again.
struct FieldSection: Sendable {
  private(set) var scanner = FieldScanner()
  /// The meaning of the fields.
  private(set) var framing = Framing()
  /// The bytes of the last section, with its empty line; empty if it was invalid or is too long.
  private var bytes: [UInt8] = []
  private var version = Version.http11

  /// Longer sections are parsed each time, because the copy would cost too much memory.
  private static let maximumBytes = 2 << 10

  /// Releases the storage.
  mutating func release() {
    scanner.release()
    bytes = []
  }

  /// Begins a section at `position`. If the section repeats the last one, it is complete: `position` becomes its end, and
  /// the result is true.
  mutating func begin(
    _ buffer: borrowing ContiguousArray<UInt8>, _ position: inout Int, _ version: Version
  ) -> Bool {
    let end = position + bytes.count
    if !bytes.isEmpty, self.version == version, end <= buffer.count, buffer.span.holds(bytes, at: position..<end) {
      framing.move(by: position - scanner.start)
      scanner.move(to: position)
      position = end
      return true
    }
    bytes.removeAll(keepingCapacity: true)
    scanner.begin(at: position)
    self.version = version
    return false
  }

  /// Continues at `position`. Returns true after the empty line, false if more bytes are needed.
  mutating func scan(
    _ buffer: borrowing ContiguousArray<UInt8>, _ position: inout Int, _ limits: Limits
  ) throws(Rejection) -> Bool {
    guard try scanner.scan(buffer, &position, size: limits.head, count: limits.fields, lists: limits.lists) else {
      return false
    }
    framing = try Framing(buffer.span, fields: scanner.fields, version: version, limits: limits)
    if position - scanner.start <= Self.maximumBytes { bytes.append(contentsOf: buffer[scanner.start..<position]) }
    return true
  }
}

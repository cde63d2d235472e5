/// The bytes with a special meaning in the grammar of RFC 9112.
public enum Byte {
  @inlinable public static var tab: UInt8 { 0x09 }
  @inlinable public static var lineFeed: UInt8 { 0x0A }
  @inlinable public static var carriageReturn: UInt8 { 0x0D }
  @inlinable public static var space: UInt8 { 0x20 }
  @inlinable public static var quote: UInt8 { 0x22 }
  @inlinable public static var percent: UInt8 { 0x25 }
  @inlinable public static var asterisk: UInt8 { 0x2A }
  @inlinable public static var comma: UInt8 { 0x2C }
  @inlinable public static var dot: UInt8 { 0x2E }
  @inlinable public static var slash: UInt8 { 0x2F }
  @inlinable public static var zero: UInt8 { 0x30 }
  @inlinable public static var colon: UInt8 { 0x3A }
  @inlinable public static var semicolon: UInt8 { 0x3B }
  @inlinable public static var equals: UInt8 { 0x3D }
  @inlinable public static var question: UInt8 { 0x3F }
  @inlinable public static var at: UInt8 { 0x40 }
  @inlinable public static var leftBracket: UInt8 { 0x5B }
  @inlinable public static var backslash: UInt8 { 0x5C }
  @inlinable public static var rightBracket: UInt8 { 0x5D }
  @inlinable public static var delete: UInt8 { 0x7F }

  /// Returns the byte with A–Z converted to a–z, and every other byte unchanged.
  @inlinable @inline(__always)
  public static func lowercased(_ byte: UInt8) -> UInt8 {
    byte &- 0x41 < 26 ? byte | 0x20 : byte
  }

  /// Returns the value of a hexadecimal digit, or nil.
  @inlinable @inline(__always)
  public static func hexValue(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte &- 0x30
    case 0x41...0x46: byte &- 0x37
    case 0x61...0x66: byte &- 0x57
    default: nil
    }
  }

  /// Returns true if the byte is one of 0–9.
  @inlinable @inline(__always)
  public static func isDigit(_ byte: UInt8) -> Bool { byte &- zero < 10 }

  /// Returns true if the byte is `SP` or `HTAB`, the only white space around a field value (RFC 9110 5.6.3).
  @inlinable @inline(__always)
  public static func isBlank(_ byte: UInt8) -> Bool { byte == space || byte == tab }

  /// Returns true if each of eight bytes is visible ASCII or a space.
  ///
  /// It looks at all of them at once: in `below`, the highest bit of the lowest byte that is less than a space is set,
  /// and in `above` that of a byte above `~`.
  @inlinable
  public static func areVisible(_ word: UInt64) -> Bool {
    let below = word &- 0x2020_2020_2020_2020
    let above = word &+ 0x0101_0101_0101_0101
    return (word | below | above) & 0x8080_8080_8080_8080 == 0
  }

  /// Returns true if the byte may occur in a field value: `VCHAR`, `SP`, `HTAB` and `obs-text` (RFC 9110 5.5).
  @inlinable @inline(__always)
  public static func isFieldContent(_ byte: UInt8) -> Bool { byte >= space && byte != delete || byte == tab }
}

/// A set of ASCII bytes in two words, so that membership costs two shifts and no memory access.
///
/// Tables in arrays would bring a lazy initializer and a reference count into the innermost loops.
struct ByteSet: Sendable {
  let low: UInt64
  let high: UInt64

  @inline(__always)
  func contains(_ byte: UInt8) -> Bool {
    // The compiler turns the masked shift into one instruction; bytes from 0x80 up are in no set.
    let word = byte & 0x40 == 0 ? low : high
    return byte < 0x80 && (word &>> UInt64(byte & 0x3F)) & 1 != 0
  }

  /// `tchar` of RFC 9110 5.6.2: letters, digits and ``!#$%&'*+-.^_`|~``.
  static let token = ByteSet(low: 0x03FF_6CFA_0000_0000, high: 0x57FF_FFFF_C7FF_FFFE)

  /// The bytes that a request target may contain as sent: the visible characters except `#`, because a target has no
  /// fragment (RFC 9112 3.2).
  ///
  /// RFC 3986 also excludes ``"<>[\]^`{|}``, but browsers send most of these raw in a query (`filter[name]=x`), and
  /// none of them can move a boundary of the message.
  static let target = ByteSet(low: 0xFFFF_FFF6_0000_0000, high: 0x7FFF_FFFF_FFFF_FFFF)

  /// `reg-name` of RFC 3986 3.2.2 without `%`, which needs two digits, and `,`, which would look like a list of hosts.
  static let registeredName = ByteSet(low: 0x2BFF_6FD2_0000_0000, high: 0x47FF_FFFE_87FF_FFFE)
}

/// The bytes with a special meaning in the grammar of RFC 9112.
enum Byte {
  static let tab: UInt8 = 0x09
  static let lineFeed: UInt8 = 0x0A
  static let carriageReturn: UInt8 = 0x0D
  static let space: UInt8 = 0x20
  static let quote: UInt8 = 0x22
  static let percent: UInt8 = 0x25
  static let asterisk: UInt8 = 0x2A
  static let comma: UInt8 = 0x2C
  static let dot: UInt8 = 0x2E
  static let slash: UInt8 = 0x2F
  static let zero: UInt8 = 0x30
  static let colon: UInt8 = 0x3A
  static let semicolon: UInt8 = 0x3B
  static let equals: UInt8 = 0x3D
  static let question: UInt8 = 0x3F
  static let at: UInt8 = 0x40
  static let leftBracket: UInt8 = 0x5B
  static let backslash: UInt8 = 0x5C
  static let rightBracket: UInt8 = 0x5D
  static let delete: UInt8 = 0x7F

  /// Returns the byte with A–Z converted to a–z, and every other byte unchanged.
  @inline(__always)
  static func lowercased(_ byte: UInt8) -> UInt8 {
    byte &- 0x41 < 26 ? byte | 0x20 : byte
  }

  /// Returns the value of a hexadecimal digit, or nil.
  @inline(__always)
  static func hexValue(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte &- 0x30
    case 0x41...0x46: byte &- 0x37
    case 0x61...0x66: byte &- 0x57
    default: nil
    }
  }

  /// Returns true if the byte is one of 0–9.
  @inline(__always)
  static func isDigit(_ byte: UInt8) -> Bool { byte &- zero < 10 }

  /// Returns true if the byte is `SP` or `HTAB`, the only white space around a field value (RFC 9110 5.6.3).
  @inline(__always)
  static func isBlank(_ byte: UInt8) -> Bool { byte == space || byte == tab }

  /// Returns true if the byte may occur in a field value: `VCHAR`, `SP`, `HTAB` and `obs-text` (RFC 9110 5.5).
  @inline(__always)
  static func isFieldContent(_ byte: UInt8) -> Bool { byte >= space && byte != delete || byte == tab }
}

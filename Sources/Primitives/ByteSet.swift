/// A set of ASCII bytes in two words, so that membership costs two shifts and no memory access.
///
/// Tables in arrays would bring a lazy initializer and a reference count into the innermost loops.
public struct ByteSet: Sendable {
  @usableFromInline let low: UInt64
  @usableFromInline let high: UInt64

  @inlinable
  init(low: UInt64, high: UInt64) {
    self.low = low
    self.high = high
  }

  @inlinable @inline(__always)
  public func contains(_ byte: UInt8) -> Bool {
    // The compiler turns the masked shift into one instruction; bytes from 0x80 up are in no set.
    let word = byte & 0x40 == 0 ? low : high
    return byte < 0x80 && (word &>> UInt64(byte & 0x3F)) & 1 != 0
  }

  /// `tchar` of RFC 9110 5.6.2: letters, digits and ``!#$%&'*+-.^_`|~``.
  @inlinable public static var token: ByteSet { ByteSet(low: 0x03FF_6CFA_0000_0000, high: 0x57FF_FFFF_C7FF_FFFE) }

  /// The bytes that a request target may contain as sent: the visible characters except `#`, because a target has no
  /// fragment (RFC 9112 3.2).
  ///
  /// RFC 3986 also excludes ``"<>[\]^`{|}``, but browsers send most of these raw in a query (`filter[name]=x`), and
  /// none of them can move a boundary of the message.
  @inlinable public static var target: ByteSet { ByteSet(low: 0xFFFF_FFF6_0000_0000, high: 0x7FFF_FFFF_FFFF_FFFF) }

  /// `target` without `?` and `%`, which have a meaning of their own.
  @inlinable public static var plainTarget: ByteSet {
    ByteSet(low: 0x7FFF_FFD6_0000_0000, high: 0x7FFF_FFFF_FFFF_FFFF)
  }

  /// `reg-name` of RFC 3986 3.2.2 without `%`, which needs two digits, and `,`, which would look like a list of hosts.
  @inlinable public static var registeredName: ByteSet {
    ByteSet(low: 0x2BFF_6FD2_0000_0000, high: 0x47FF_FFFE_87FF_FFFE)
  }

  /// `unreserved` of RFC 3986 2.3: letters, digits and `-._~`, which mean the same percent-encoded or not.
  @inlinable public static var unreserved: ByteSet {
    ByteSet(low: 0x03FF_6000_0000_0000, high: 0x47FF_FFFE_87FF_FFFE)
  }
}

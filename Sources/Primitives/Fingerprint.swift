/// A hash that consumes eight bytes per step, with the mixing function of wyhash. It withstands accidents, not malice.
public struct Fingerprint: Sendable {
  public private(set) var value: UInt64 = 0x9E37_79B9_7F4A_7C15

  /// Creates the hash of nothing.
  public init() {}

  /// Creates the hash of these bytes.
  public init(of bytes: ArraySlice<UInt8>) { add(bytes) }

  /// Adds a part of some bytes.
  public mutating func add(_ bytes: [UInt8], _ range: Range<Int>) { add(bytes[range]) }

  /// Adds bytes.
  public mutating func add(_ part: ArraySlice<UInt8>) {
    let span = part.span
    var index = 0
    while index + 8 <= span.count {
      var word: UInt64 = 0
      let eight = span.extracting(index..<index + 8)
      for offset in 0..<8 { word |= UInt64(eight[offset]) << UInt64(offset * 8) }
      mix(word)
      index += 8
    }
    var rest: UInt64 = 0
    while index < span.count {
      rest = rest << 8 | UInt64(span[index])
      index += 1
    }
    mix(rest)
    // The length distinguishes "ab" + "c" from "a" + "bc".
    mix(UInt64(span.count))
  }

  private mutating func mix(_ word: UInt64) { value = Self.mix(word, into: value) }

  /// Returns `value` after one step of mixing.
  public static func mix(_ word: UInt64, into value: UInt64) -> UInt64 {
    let product = (value ^ word).multipliedFullWidth(by: 0xA076_1D64_78BD_642F)
    return (product.high ^ product.low) &+ 0xE703_7ED1_A0B4_28DB
  }
}

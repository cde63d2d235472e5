import Primitives

extension Span where Element == UInt8 {
  /// Returns true if the range holds these bytes, ignoring the case of ASCII letters; `spelling` is in lower case.
  func holdsIgnoringCase(_ spelling: String, at range: Range<Int>) -> Bool {
    var index = range.lowerBound
    for byte in spelling.utf8 {
      guard index < range.upperBound, Byte.lowercased(self[index]) == byte else { return false }
      index += 1
    }
    return index == range.upperBound
  }

  /// Returns true if the range holds exactly these bytes.
  package func holds(_ expected: [UInt8], at range: Range<Int>) -> Bool {
    guard expected.count == range.count else { return false }
    let (bytes, expected) = (extracting(range), expected.span)
    // Without an exit from the loop, the compiler compares many bytes at once.
    var difference: UInt8 = 0
    for index in 0..<bytes.count { difference |= bytes[index] ^ expected[index] }
    return difference == 0
  }

  /// Returns eight bytes as a number, the first byte as its highest one.
  package func word(at index: Int) -> UInt64 {
    let bytes = extracting(index..<index + 8)
    return UInt64(bytes[0]) << 56 | UInt64(bytes[1]) << 48 | UInt64(bytes[2]) << 40 | UInt64(bytes[3]) << 32
      | UInt64(bytes[4]) << 24 | UInt64(bytes[5]) << 16 | UInt64(bytes[6]) << 8 | UInt64(bytes[7])
  }
}

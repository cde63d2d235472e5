import Primitives

/// The part of a representation that a request asks for (RFC 9110 section 14.2).
package enum ByteRange: Sendable, Equatable {
  /// The whole representation. A recipient ignores a field that is malformed, names another unit, or names several
  /// ranges that it does not want to send.
  case whole
  /// The bytes from the lower bound up to, but not including, the upper bound.
  case part(Range<Int>)
  /// None of the bytes exist: 416.
  case unsatisfiable

  /// Parses a `Range` field.
  ///
  /// - Parameters:
  ///   - text: The field's value: `bytes=0-99`, `bytes=100-` or `bytes=-100`.
  ///   - byteCount: The length of the whole representation.
  package init(parsing text: String, of byteCount: Int) {
    let sides = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard sides.count == 2, sides[0].lowercased() == "bytes" else {
      self = .whole
      return
    }
    let bounds = String(sides[1]).trimmingBlanks.split(separator: "-", omittingEmptySubsequences: false)
    guard bounds.count == 2 else {
      self = .whole
      return
    }
    switch (Self.position(bounds[0]), Self.position(bounds[1])) {
    case (let first?, let last?) where first <= last: self.init(first, min(last, byteCount - 1) + 1, byteCount)
    case (let first?, nil) where bounds[1].isEmpty: self.init(first, byteCount, byteCount)
    case (nil, let count?) where bounds[0].isEmpty: self.init(max(0, byteCount - count), byteCount, byteCount)
    default: self = .whole
    }
  }

  private init(_ start: Int, _ end: Int, _ byteCount: Int) {
    self = start < end && start < byteCount ? .part(start..<end) : .unsatisfiable
  }

  /// Parses digits; nil for any other text. A number that is too large is larger than every representation.
  private static func position(_ text: Substring) -> Int? {
    guard !text.isEmpty, text.utf8.allSatisfy(Byte.isDigit) else { return nil }
    return Int(text) ?? .max - 1
  }
}

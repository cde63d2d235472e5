import Primitives

/// A quantity and its unit, the form in which scenarios and the control API write durations: `250us`, `20ms`, `1.5s`,
/// `2m`, `1h`.
///
/// At most nine digits before the point (six for minutes and hours) and nine after it: such a text cannot overflow, and
/// a regular expression can state exactly what is allowed.
package struct DurationText: Sendable, Hashable {
  package let duration: Duration

  private struct Unit {
    let suffix: String
    let nanoseconds: Int64
    let digits: Int
  }

  private static let units = [
    Unit(suffix: "us", nanoseconds: 1_000, digits: 9),
    Unit(suffix: "ms", nanoseconds: 1_000_000, digits: 9),
    Unit(suffix: "s", nanoseconds: 1_000_000_000, digits: 9),
    Unit(suffix: "m", nanoseconds: 60_000_000_000, digits: 6),
    Unit(suffix: "h", nanoseconds: 3_600_000_000_000, digits: 6),
  ]

  package init?(_ text: String) {
    let suffix = text.utf8.suffix(while: { $0 != UInt8(ascii: ".") && Self.digit($0) == nil })
    guard let unit = Self.units.first(where: { $0.suffix.utf8.elementsEqual(suffix) }) else { return nil }
    let quantity = text.utf8.dropLast(suffix.count)
    let parts = quantity.split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
    guard let whole = parts.first.flatMap({ Self.digits($0, atMost: unit.digits) }) else { return nil }
    var total = whole.reduce(0) { $0 * 10 + $1 } * unit.nanoseconds
    if parts.count == 2 {
      guard let fraction = Self.digits(parts[1], atMost: 9) else { return nil }
      var position = unit.nanoseconds
      for digit in fraction {
        position /= 10
        total += digit * position
      }
    }
    duration = .nanoseconds(total)
  }

  /// Returns the shortest text for this duration in whole nanoseconds: `90s`, `2m`, `12.345ms`.
  package static func text(_ duration: Duration) -> String {
    var text: [UInt8] = []
    NanosecondDuration(duration).appendText(to: &text)
    return String(decoding: text, as: UTF8.self)
  }

  private static func digits(_ text: Substring.UTF8View, atMost count: Int) -> [Int64]? {
    let digits = text.compactMap(digit)
    return (1...count).contains(text.count) && digits.count == text.count ? digits : nil
  }

  private static func digit(_ byte: UInt8) -> Int64? {
    Byte.isDigit(byte) ? Int64(byte - Byte.zero) : nil
  }
}

extension JSONValue {
  /// Returns a duration as scenarios and the control API write it.
  package static func duration(_ duration: Duration) -> JSONValue { .string(DurationText.text(duration)) }
}

extension BidirectionalCollection {
  fileprivate func suffix(while predicate: (Element) -> Bool) -> SubSequence {
    var start = endIndex
    while start > startIndex, predicate(self[index(before: start)]) { start = index(before: start) }
    return self[start...]
  }
}

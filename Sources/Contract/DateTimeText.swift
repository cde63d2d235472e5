import Primitives

/// An RFC 3339 date-time, parsed strictly: days that exist in their month, `T`, and `Z` or an offset.
package struct DateTimeText: Sendable {
  /// The instant that the text names. Years outside the range of `Instant` are valid, and clamped to its bounds.
  package let instant: Instant
  package let fractionDigits: Int

  package init?(_ text: String) {
    var reader = Reader(text)
    guard
      let year = reader.digits(4), reader.skip("-"), let month = reader.digits(2), reader.skip("-"),
      let day = reader.digits(2), reader.skip("T"), let hour = reader.digits(2), reader.skip(":"),
      let minute = reader.digits(2), reader.skip(":"), let second = reader.digits(2),
      (1...12).contains(month), (1...CivilTime.daysInMonth(month, year: year)).contains(day),
      hour < 24, minute < 60, second < 60
    else { return nil }
    guard let fraction = reader.fraction(), let offset = reader.offset(), reader.isAtEnd else { return nil }
    let days = CivilTime.daysSinceEpoch(year: year, month: month, day: day)
    let local = Int64(days) * 86_400 + Int64(hour * 3_600 + minute * 60 + second)
    instant = Instant(seconds: local - Int64(offset * 60)) + .nanoseconds(fraction.nanoseconds)
    fractionDigits = fraction.digits
  }

  private struct Reader {
    private let bytes: [UInt8]
    private var index = 0

    init(_ text: String) { bytes = Array(text.utf8) }

    var isAtEnd: Bool { index == bytes.count }

    mutating func skip(_ character: Unicode.Scalar) -> Bool {
      guard !isAtEnd, bytes[index] == UInt8(ascii: character) else { return false }
      index += 1
      return true
    }

    mutating func digit() -> Int? {
      guard !isAtEnd, Byte.isDigit(bytes[index]) else { return nil }
      index += 1
      return Int(bytes[index - 1] - Byte.zero)
    }

    mutating func digits(_ count: Int) -> Int? {
      var value = 0
      for _ in 0..<count {
        guard let digit = digit() else { return nil }
        value = value * 10 + digit
      }
      return value
    }

    mutating func fraction() -> (nanoseconds: Int, digits: Int)? {
      guard skip(".") else { return (0, 0) }
      var nanoseconds = 0
      var count = 0
      while let digit = digit() {
        if count < 9 { nanoseconds = nanoseconds * 10 + digit }
        count += 1
      }
      for _ in 0..<max(0, 9 - count) { nanoseconds *= 10 }
      return count == 0 ? nil : (nanoseconds, count)
    }

    /// Parses the offset, in minutes east of Greenwich.
    mutating func offset() -> Int? {
      if skip("Z") { return 0 }
      let isWest = skip("-")
      guard isWest || skip("+"), let hours = digits(2), skip(":"), let minutes = digits(2), hours < 24, minutes < 60
      else { return nil }
      return (hours * 60 + minutes) * (isWest ? -1 : 1)
    }
  }
}

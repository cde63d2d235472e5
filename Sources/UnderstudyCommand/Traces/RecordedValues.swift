import Contract
import JSON

/// Numbers of other tools, some of which write them as text.
enum RecordedNumber {
  /// Returns a number, which may be infinite: a recorder's overflow, or an exponent too large for a double.
  static func number(_ value: JSONValue) -> Double? {
    let number = value.double ?? value.string.flatMap { Double($0) }
    return number.flatMap { $0.isNaN ? nil : $0 }
  }

  /// The maximum duration of an exchange in milliseconds, a day. A longer one is an overflow, or has another unit.
  static let maximumMilliseconds = 86_400_000.0

  /// Returns milliseconds as a duration of at most an hour; nil for a negative number, which means that it is not known.
  static func milliseconds(_ value: Double) -> Duration? {
    value < 0 ? nil : .microseconds(Int64(min(value, 3.6e6) * 1_000))
  }
}

/// Times of other tools.
enum RecordedTime {
  /// Reads an RFC 3339 date, the other forms of ISO 8601 that tools write, or a number of milliseconds since 1970.
  static func instant(_ value: JSONValue) -> Instant? {
    if let text = value.string { return instant(text) }
    guard let number = RecordedNumber.number(value), number > 0, number < 9e15 else { return nil }
    // Seconds since 1970 have ten digits.
    return Instant(nanoseconds: 0) + .microseconds(Int64(number < 1e11 ? number * 1e6 : number * 1e3))
  }

  private static func instant(_ text: String) -> Instant? {
    if let exact = DateTimeText(text) { return exact.instant }
    // `2026-03-01 09:30:00,25+0100` for `2026-03-01T09:30:00.25+01:00`; without a zone it is taken as UTC.
    var bytes = Array(text.uppercased().utf8.filter { $0 > 0x20 || $0 == 0x20 })
    while bytes.last == 0x20 { bytes.removeLast() }
    guard bytes.count >= 19 else { return nil }
    if bytes[10] == 0x20 { bytes[10] = UInt8(ascii: "T") }
    bytes.removeAll { $0 == 0x20 }
    for index in bytes.indices where bytes[index] == UInt8(ascii: ",") { bytes[index] = UInt8(ascii: ".") }
    if let sign = bytes[19...].lastIndex(where: { $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "-") }) {
      let digits = bytes[(sign + 1)...].filter { $0 != UInt8(ascii: ":") }
      let zone = digits.count == 2 ? digits + [0x30, 0x30] : digits
      guard zone.count == 4 else { return nil }
      bytes = bytes[...sign] + zone[..<2] + [UInt8(ascii: ":")] + zone[2...]
    } else if bytes.last != UInt8(ascii: "Z") {
      bytes.append(UInt8(ascii: "Z"))
    }
    return DateTimeText(String(decoding: bytes, as: UTF8.self))?.instant
  }
}

extension Trace.Wait {
  /// Reads `Retry-After`: seconds, or a date, from which the response's own is subtracted (RFC 9110 section 10.2.3).
  ///
  /// - Parameters:
  ///   - text: The field's value.
  ///   - date: The value of `Date`.
  ///   - start: The time of the request.
  init?(_ text: String?, date: String?, since start: Instant) {
    guard let text else { return nil }
    if let seconds = Int64(text), seconds >= 0 {
      self.init(duration: .seconds(min(seconds, 86_400)), isDate: false)
      return
    }
    guard let end = HTTPDate.instant(text) else { return nil }
    let seconds = max(0, (end - (date.flatMap(HTTPDate.instant) ?? start)).components.seconds)
    self.init(duration: .seconds(min(seconds, 86_400)), isDate: true)
  }
}

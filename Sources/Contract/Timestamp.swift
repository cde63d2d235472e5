/// The date-time texts of the five APIs, all of them profiles of RFC 3339.
package enum Timestamp {
  /// Returns `2023-06-22T15:13:34Z`.
  package static func seconds(_ instant: Instant) -> String {
    let time = CivilTime(instant)
    return date(time) + "T" + clock(time) + "Z"
  }

  /// Returns `2018-04-19T09:38:41.000Z`.
  package static func milliseconds(_ instant: Instant) -> String {
    let time = CivilTime(instant)
    return date(time) + "T" + clock(time) + "." + padded(time.nanosecond / 1_000_000, 3) + "Z"
  }

  /// Returns `2019-11-29T18:54:57.577122Z`, or with `+08:00` for an offset of eight hours.
  package static func microseconds(_ instant: Instant, offset: Duration = .zero) -> String {
    let time = CivilTime(instant, offset: offset)
    let fraction = padded(time.nanosecond / 1_000, 6)
    return date(time) + "T" + clock(time) + "." + fraction + zone(offset)
  }

  /// Returns `2019-11-29`.
  package static func date(_ instant: Instant, offset: Duration = .zero) -> String {
    date(CivilTime(instant, offset: offset))
  }

  private static func date(_ time: CivilTime) -> String {
    padded(time.year, 4) + "-" + padded(time.month, 2) + "-" + padded(time.day, 2)
  }

  private static func clock(_ time: CivilTime) -> String {
    padded(time.hour, 2) + ":" + padded(time.minute, 2) + ":" + padded(time.second, 2)
  }

  private static func zone(_ offset: Duration) -> String {
    let minutes = Int(offset.components.seconds / 60)
    guard minutes != 0 else { return "Z" }
    return (minutes < 0 ? "-" : "+") + padded(abs(minutes) / 60, 2) + ":" + padded(abs(minutes) % 60, 2)
  }

  package static func padded(_ value: Int, _ width: Int) -> String {
    let digits = String(value)
    return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
  }
}

/// Dates in header fields (RFC 9110 section 5.6.7).
package enum HTTPDate {
  private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

  /// Parses a date in each form that a recipient must accept, such as `Sun, 06 Nov 1994 08:49:37 GMT`,
  /// `Sunday, 06-Nov-94 08:49:37 GMT` or `Sun Nov  6 08:49:37 1994`. Neither the day of the week nor the separators are
  /// checked; nil if the rest is no date.
  ///
  /// A year of two digits is one from 1970 to 2069.
  package static func instant(_ text: String) -> Instant? {
    let words = text.split { $0 == " " || $0 == "," || $0 == "-" }.map(String.init)
    switch words.count {
    case 6 where words[5] == "GMT" || words[5] == "UTC":
      let (year, isShort) = (words[3], words[3].count == 2)
      return instant(isShort ? (year < "70" ? "20" : "19") + year : year, words[2], words[1], words[4])
    case 5: return instant(words[4], words[1], words[2].count == 1 ? "0" + words[2] : words[2], words[3])
    default: return nil
    }
  }

  private static func instant(_ year: String, _ month: String, _ day: String, _ clock: String) -> Instant? {
    guard let month = months.firstIndex(of: month), day.count == 2, year.count == 4 else { return nil }
    return DateTimeText("\(year)-\(Timestamp.padded(month + 1, 2))-\(day)T\(clock)Z")?.instant
  }

  /// Returns `Sun, 06 Nov 1994 08:49:37 GMT`.
  package static func text(_ instant: Instant) -> String {
    let time = CivilTime(instant)
    let date = "\(Timestamp.padded(time.day, 2)) \(months[time.month - 1]) \(Timestamp.padded(time.year, 4))"
    let clock = [time.hour, time.minute, time.second].map { Timestamp.padded($0, 2) }.joined(separator: ":")
    return "\(days[time.weekday]), \(date) \(clock) GMT"
  }
}

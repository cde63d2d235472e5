import Contract
public import Foundation
import JSON
import Primitives

/// Dates in header fields, in all three forms that a recipient must accept (RFC 9110 section 5.6.7).
public enum HTTPDateText {
  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
  private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
  private static let longDays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]

  /// Parses `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37 GMT` or `Sun Nov  6 08:49:37 1994`.
  ///
  /// - Parameters:
  ///   - text: The date as in the field.
  ///   - now: Determines the century of a two-digit year: the result is at most fifty years in the future.
  public static func parse(_ text: String, now: Date) -> Date? {
    let words = text.split(whereSeparator: { $0 == " " || $0 == "," }).map(String.init)
    guard let day = words.first else { return nil }
    switch words.count {
    case 6 where days.contains(day) && words[5] == "GMT" && words[1].count == 2 && words[3].count == 4:
      return date(words[3], words[2], words[1], words[4])
    case 4 where longDays.contains(day) && words[3] == "GMT":
      let parts = words[1].split(separator: "-").map(String.init)
      guard parts.count == 3, parts[0].count == 2, parts[2].count == 2 else { return nil }
      guard let year = Int(parts[2]).map({ fullYear($0, now: now) }) else { return nil }
      return date(Timestamp.padded(year, 4), parts[1], parts[0], words[2])
    case 5 where days.contains(day) && words[4].count == 4:
      return date(words[4], words[1], words[2].count == 1 ? "0" + words[2] : words[2], words[3])
    default: return nil
    }
  }

  private static func fullYear(_ twoDigits: Int, now: Date) -> Int {
    let present = CivilTime(Instant(seconds: Int64(now.timeIntervalSince1970))).year
    let year = present / 100 * 100 + twoDigits
    return year > present + 50 ? year - 100 : year
  }

  private static func date(_ year: String, _ month: String, _ day: String, _ clock: String) -> Date? {
    guard let month = months.firstIndex(of: month) else { return nil }
    // A leap second is valid, but few calendars represent it; it is read as the second before it.
    let clock = clock.hasSuffix(":60") ? String(clock.dropLast(2)) + "59" : clock
    let text = "\(year)-\(Timestamp.padded(month + 1, 2))-\(day)T\(clock)Z"
    return DateTimeText(text).map { Date($0.instant) }
  }
}

extension Date {
  init(_ instant: Instant) {
    // Whole seconds are converted separately: in nanoseconds they exceed the precision of a double.
    let fraction = instant - Instant(seconds: instant.seconds)
    self.init(timeIntervalSince1970: Double(instant.seconds) + Double(fraction.nanoseconds) / 1e9)
  }
}

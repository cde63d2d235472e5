public import Foundation
import Primitives

/// Parses the `Retry-After` field (RFC 9110 section 10.2.3): seconds, or a date.
public enum RetryAfter {
  /// Returns the time for which a response asks the client to wait.
  ///
  /// A date is relative to the response's own `Date`, if it has one: the server's clock is then compared with itself,
  /// and a device with a wrong clock does not wait longer.
  ///
  /// - Parameters:
  ///   - field: The `Retry-After` field.
  ///   - date: The `Date` field of the same response.
  ///   - now: The device's date, for responses without a `Date`.
  /// - Returns: Nil if the field is missing or invalid; zero for a time in the past.
  public static func duration(_ field: String?, date: String? = nil, now: Date) -> Duration? {
    guard let text = field?.trimmingCharacters(in: .whitespaces), !text.isEmpty else { return nil }
    if text.utf8.allSatisfy(Byte.isDigit) {
      return .seconds(Int64(text.prefix(9)) ?? 0)
    }
    let today = date.flatMap { HTTPDateText.parse($0, now: now) } ?? now
    guard let until = HTTPDateText.parse(text, now: today) else { return nil }
    return .milliseconds(Int64(max(0, until.timeIntervalSince(today)) * 1_000))
  }
}

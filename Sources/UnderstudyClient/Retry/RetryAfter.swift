public import Foundation

/// Reads the `Retry-After` field (RFC 9110 section 10.2.3): seconds, or a date.
public enum RetryAfter {
  /// How long a reply asks to be left alone.
  ///
  /// A date is counted from the reply's own `Date` where it has one: the server's clock is then compared with itself,
  /// and a device whose clock is wrong waits no longer for it.
  ///
  /// - Parameters:
  ///   - field: The `Retry-After` field.
  ///   - date: The `Date` field of the same reply.
  ///   - now: The device's date, for replies without a `Date`.
  /// - Returns: Nil where the field is missing or says nothing; zero for what is past.
  public static func duration(_ field: String?, date: String? = nil, now: Date) -> Duration? {
    guard let text = field?.trimmingCharacters(in: .whitespaces), !text.isEmpty else { return nil }
    if text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) {
      return .seconds(Int64(text.prefix(9)) ?? 0)
    }
    let today = date.flatMap { HTTPDateText.parse($0, now: now) } ?? now
    guard let until = HTTPDateText.parse(text, now: today) else { return nil }
    return .milliseconds(Int64(max(0, until.timeIntervalSince(today)) * 1_000))
  }
}

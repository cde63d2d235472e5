import JSON
import Primitives

extension Schema {
  /// A form of texts, stated three times over: in words, as a regular expression, and as the code that decides.
  package final class Format: Sendable {
    /// The form, as words that complete «expected …».
    package let expectation: String
    /// The ECMA-262 regular expression of the texts that this format allows; nil if there is none.
    ///
    /// It covers everything except the calendar: `standardName` states that the day must exist in its month.
    package let pattern: String?
    /// The JSON Schema name of a wider format that includes this one.
    package let standardName: String?
    private let isAllowed: @Sendable (String) -> Bool

    package init(
      _ expectation: String, pattern: String?, standardName: String? = nil,
      _ isAllowed: @escaping @Sendable (String) -> Bool
    ) {
      self.expectation = expectation
      self.pattern = pattern
      self.standardName = standardName
      self.isAllowed = isAllowed
    }

    package func allows(_ text: String) -> Bool { isAllowed(text) }
  }
}

extension Schema.Format {
  /// `2023-06-22T15:13:34Z` or with an offset: RFC 3339 without a fraction.
  package static let internetDateTime = Schema.Format(
    "an ISO 8601 date-time without a fraction, as in 2023-06-22T15:13:34Z", pattern: "^\(day)T\(clock)\(zone)$",
    standardName: "date-time"
  ) { DateTimeText($0)?.fractionDigits == 0 }

  /// As `internetDateTime`, or `now`. One format and not a choice of two: generators of clients cannot decode a choice
  /// that may be null.
  package static let internetDateTimeOrNow = Schema.Format(
    internetDateTime.expectation + " or \"now\"", pattern: "^(?:\(day)T\(clock)\(zone)|now)$"
  ) { $0 == "now" || internetDateTime.allows($0) }

  /// `2018-04-19T09:38:41.000Z`: exactly three fraction digits, and `Z`.
  package static let millisecondDateTime = Schema.Format(
    "a date-time with exactly three fraction digits, as in 2018-04-19T09:38:41.000Z",
    pattern: "^\(day)T\(clock)\\.[0-9]{3}Z$", standardName: "date-time"
  ) { DateTimeText($0)?.fractionDigits == 3 && $0.hasSuffix("Z") }

  /// Any RFC 3339 date-time.
  package static let dateTime = Schema.Format(
    "a date-time, as in 2019-11-29T18:54:57.577122Z", pattern: "^\(day)T\(clock)(?:\\.[0-9]+)?\(zone)$",
    standardName: "date-time"
  ) { DateTimeText($0) != nil }

  /// `2019-11-29`.
  package static let date = Schema.Format("a date, as in 2019-11-29", pattern: "^\(day)$", standardName: "date") {
    DateTimeText($0 + "T00:00:00Z") != nil
  }

  package static let uri = Schema.Format(
    "an absolute http or https URL", pattern: "^https?://[!-~]+$", standardName: "uri"
  ) { isURL($0) }

  /// A quantity and its unit: `250ms`, `3s`, `1m`.
  package static let duration = Schema.Format(
    "a duration with its unit, as in 250ms, 1.5s or 2m",
    pattern: "^(?:[0-9]{1,9}\(fraction)(?:us|ms|s)|[0-9]{1,6}\(fraction)(?:m|h))$"
  ) { DurationText($0) != nil }

  /// A DNS label of at most 63 characters.
  package static let label = Schema.Format(
    "a DNS label: 1 to 63 of a-z, 0-9 and -, no - at either end", pattern: "^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$"
  ) { isLabel($0) }

  /// A string of decimal digits.
  package static let digits = Schema.Format("a string of digits", pattern: "^[0-9]+$") {
    !$0.isEmpty && $0.utf8.allSatisfy(Byte.isDigit)
  }

  package static let binary = Schema.Format("bytes", pattern: nil) { _ in true }

  private static let day = "[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])"
  private static let clock = "(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]"
  private static let zone = "(?:Z|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])"
  private static let fraction = "(?:\\.[0-9]{1,9})?"
}

extension Schema.Format {
  /// Returns true if the text is a DNS label (RFC 1123 section 2.1) in lower case.
  package static func isLabel(_ text: String) -> Bool {
    let hyphen = UInt8(ascii: "-")
    let bytes = text.utf8
    guard (1...63).contains(bytes.count), bytes.first != hyphen, bytes.last != hyphen else { return false }
    return bytes.allSatisfy { byte in
      byte == hyphen || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || Byte.isDigit(byte)
    }
  }

  /// Returns true if the text has a scheme, `//` and visible ASCII characters; no client here relies on more.
  private static func isURL(_ text: String) -> Bool {
    guard let scheme = ["http://", "https://"].first(where: text.hasPrefix) else { return false }
    let rest = text.utf8.dropFirst(scheme.utf8.count)
    return !rest.isEmpty && rest.allSatisfy { (0x21...0x7E).contains($0) }
  }
}

import Faults
import JSON
import Primitives

extension Schema.Format {
  package var expectation: String {
    switch self {
    case .internetDateTime: "an ISO 8601 date-time without a fraction, as in 2023-06-22T15:13:34Z"
    case .millisecondDateTime: "a date-time with exactly three fraction digits, as in 2018-04-19T09:38:41.000Z"
    case .dateTime: "a date-time, as in 2019-11-29T18:54:57.577122Z"
    case .date: "a date, as in 2019-11-29"
    case .uri: "an absolute http or https URL"
    case .duration: "a duration with its unit, as in 250ms, 1.5s or 2m"
    case .ratio: Ratio.expectation
    case .ordinals: Trigger.Ordinals.expectation
    case .label: "a DNS label: 1 to 63 of a-z, 0-9 and -, no - at either end"
    case .digits: "a string of digits"
    case .binary: "bytes"
    }
  }

  package func allows(_ text: String) -> Bool {
    switch self {
    case .internetDateTime: DateTimeText(text)?.fractionDigits == 0
    case .millisecondDateTime: DateTimeText(text)?.fractionDigits == 3 && text.hasSuffix("Z")
    case .dateTime: DateTimeText(text) != nil
    case .date: DateTimeText(text + "T00:00:00Z") != nil
    case .uri: Self.isURL(text)
    case .duration: DurationText(text) != nil
    case .ratio: Ratio(text) != nil
    case .ordinals: Trigger.Ordinals(text) != nil
    case .label: Self.isLabel(text)
    case .digits: !text.isEmpty && text.utf8.allSatisfy(Byte.isDigit)
    case .binary: true
    }
  }

  /// Returns true if the text is a DNS label (RFC 1123 section 2.1) in lower case.
  package static func isLabel(_ text: String) -> Bool {
    let hyphen = UInt8(ascii: "-")
    let bytes = text.utf8
    guard (1...63).contains(bytes.count), bytes.first != hyphen, bytes.last != hyphen else { return false }
    return bytes.allSatisfy { byte in
      byte == hyphen || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || Byte.isDigit(byte)
    }
  }
}

extension Schema.Format {
  /// Returns true if the text has a scheme, `//` and visible ASCII characters; no client here relies on more.
  private static func isURL(_ text: String) -> Bool {
    guard let scheme = ["http://", "https://"].first(where: text.hasPrefix) else { return false }
    let rest = text.utf8.dropFirst(scheme.utf8.count)
    return !rest.isEmpty && rest.allSatisfy { (0x21...0x7E).contains($0) }
  }
}

extension Schema.Format {
  /// The ECMA-262 regular expression of the texts that this format allows; nil if there is none.
  ///
  /// It covers everything except the calendar: `standardName` states that the day must exist in its month.
  package var pattern: String? {
    switch self {
    case .internetDateTime: "^\(Self.dayPattern)T\(Self.clockPattern)\(Self.zonePattern)$"
    case .millisecondDateTime: "^\(Self.dayPattern)T\(Self.clockPattern)\\.[0-9]{3}Z$"
    case .dateTime: "^\(Self.dayPattern)T\(Self.clockPattern)(?:\\.[0-9]+)?\(Self.zonePattern)$"
    case .date: "^\(Self.dayPattern)$"
    case .uri: "^https?://[!-~]+$"
    case .duration: "^(?:[0-9]{1,9}\(Self.fractionPattern)(?:us|ms|s)|[0-9]{1,6}\(Self.fractionPattern)(?:m|h))$"
    case .ratio: "^[0-9]{1,9}/[0-9]{1,9}$"
    case .ordinals: "^[0-9]+\\.\\.\\.[0-9]*$"
    case .label: "^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$"
    case .digits: "^[0-9]+$"
    case .binary: nil
    }
  }

  /// The JSON Schema name of a wider format that includes this one.
  package var standardName: String? {
    switch self {
    case .internetDateTime, .millisecondDateTime, .dateTime: "date-time"
    case .date: "date"
    case .uri: "uri"
    case .duration, .ratio, .ordinals, .label, .digits, .binary: nil
    }
  }

  private static let dayPattern = "[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])"
  private static let clockPattern = "(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]"
  private static let zonePattern = "(?:Z|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])"
  private static let fractionPattern = "(?:\\.[0-9]{1,9})?"
}

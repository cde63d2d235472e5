import Contract
public import Foundation

/// A date-time as it was sent, and its date.
///
/// The text is kept, because servers compare and return it unchanged.
public struct SentDate: Sendable, Hashable, Codable, CustomStringConvertible {
  /// An RFC 3339 date-time, such as `2023-06-22T15:13:34Z`.
  public let text: String

  /// The date; nil if the text is not a date-time.
  public var date: Date? {
    guard let year = Int(text.prefix(4)) else { return nil }
    let cycles = Int((Double(year - 1_770) / 400).rounded(.down))
    let shifted = Timestamp.padded(year - cycles * 400, 4) + text.dropFirst(4)
    return DateTimeText(shifted).map { Date($0.instant) + Double(cycles) * Self.cycle }
  }

  /// Creates a date from a text, which may be no date.
  public init(text: String) { self.text = text }

  /// Creates a date-time in whole seconds of UTC, the form of the devices API. Fractions are cut off. Dates before the
  /// year 1 or after 9999, for which there is no such text, become the nearest date that has one.
  public init(_ date: Date) {
    let seconds = date.timeIntervalSince1970.rounded(.down)
    let representable = min(max(seconds, -62_135_596_800), 253_402_300_799)
    let cycles = (representable / Self.cycle).rounded()
    let shifted = Timestamp.seconds(Instant(seconds: Int64(representable - cycles * Self.cycle)))
    let year = (Int(shifted.prefix(4)) ?? 0) + Int(cycles) * 400
    text = Timestamp.padded(year, 4) + shifted.dropFirst(4)
  }

  /// 400 years in seconds, after which the calendar repeats. An instant counts nanoseconds, which do not cover the
  /// years 1 to 9999, so years are shifted by whole cycles.
  private static let cycle = 12_622_780_800.0

  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    text = try container.decode(String.self)
    guard date != nil else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "«\(text)» is not a date-time.")
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }

  public var description: String { text }

  /// Returns true if both name the same second, however they are written.
  func isSameMoment(as other: SentDate) -> Bool { text == other.text || (date != nil && date == other.date) }
}

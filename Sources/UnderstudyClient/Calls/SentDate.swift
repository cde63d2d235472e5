import Contract
public import Foundation

/// A date-time as it stood on the wire, and the moment it means.
///
/// The text is kept, since servers compare and return what they were sent.
public struct SentDate: Sendable, Hashable, Codable, CustomStringConvertible {
  /// An RFC 3339 date-time, such as `2023-06-22T15:13:34Z`.
  public let text: String

  /// The moment; nil where the text is no date-time.
  public var date: Date? {
    guard let year = Int(text.prefix(4)) else { return nil }
    let cycles = Int((Double(year - 1_770) / 400).rounded(.down))
    let near = Timestamp.padded(year - cycles * 400, 4) + text.dropFirst(4)
    return DateTimeText(near).map { Date($0.instant) + Double(cycles) * Self.cycle }
  }

  public init(text: String) { self.text = text }

  /// In whole seconds of UTC, the form that the devices API takes. Fractions are cut off, and what lies before the year 1
  /// or behind 9999, for which there is no such text, becomes the nearest moment that has one.
  public init(_ date: Date) {
    let seconds = date.timeIntervalSince1970.rounded(.down)
    let sayable = min(max(seconds, -62_135_596_800), 253_402_300_799)
    let cycles = (sayable / Self.cycle).rounded()
    let near = Timestamp.seconds(Instant(seconds: Int64(sayable - cycles * Self.cycle)))
    let year = (Int(near.prefix(4)) ?? 0) + Int(cycles) * 400
    text = Timestamp.padded(year, 4) + near.dropFirst(4)
  }

  /// 400 years in seconds, after which the calendar repeats. An instant is counted in nanoseconds, which do not reach from
  /// the year 1 to 9999, so years are brought near and back by whole cycles.
  private static let cycle = 12_622_780_800.0

  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    text = try container.decode(String.self)
    guard date != nil else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "«\(text)» is no date-time.")
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }

  public var description: String { text }

  /// Whether both mean the same second, however they are written.
  func isSameMoment(as other: SentDate) -> Bool { text == other.text || (date != nil && date == other.date) }
}

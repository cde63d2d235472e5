import Contract
public import Foundation

/// A date-time as it stood on the wire, and the moment it means.
///
/// The text is kept, since servers compare and return what they were sent.
public struct SentDate: Sendable, Hashable, Codable, CustomStringConvertible {
  /// An RFC 3339 date-time, such as `2023-06-22T15:13:34Z`.
  public let text: String

  /// The moment; nil where the text is no date-time.
  public var date: Date? { DateTimeText(text).map { Date($0.instant) } }

  public init(text: String) { self.text = text }

  /// In whole seconds of UTC, the form that the devices API takes. Fractions are cut off.
  public init(_ date: Date) {
    text = Timestamp.seconds(Instant(seconds: Int64(date.timeIntervalSince1970.rounded(.down))))
  }

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

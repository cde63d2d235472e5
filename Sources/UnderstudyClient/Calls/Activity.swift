/// A call in a company's call log.
public struct Activity: Sendable, Hashable, Codable, Identifiable {
  public var id: Int
  public var createdAt: SentDate
  public var direction: Direction
  public var from: String
  /// The callee; nil if there is none, as for a voicemail.
  public var to: String?
  public var via: String
  /// Seconds, as the server's string.
  public var duration: String
  public var isArchived: Bool
  public var callType: Outcome

  public struct Direction: RawRepresentable, Sendable, Hashable, Codable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let inbound = Direction(rawValue: "inbound")
    public static let outbound = Direction(rawValue: "outbound")
  }

  public struct Outcome: RawRepresentable, Sendable, Hashable, Codable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let missed = Outcome(rawValue: "missed")
    public static let answered = Outcome(rawValue: "answered")
    public static let voicemail = Outcome(rawValue: "voicemail")
  }

  /// `duration` in seconds; nil if it is not a number.
  public var seconds: Double? { Double(duration) }

  public init(
    id: Int, createdAt: SentDate, direction: Direction, from: String, to: String?, via: String, duration: String,
    isArchived: Bool, callType: Outcome
  ) {
    self.id = id
    self.createdAt = createdAt
    self.direction = direction
    self.from = from
    self.to = to
    self.via = via
    self.duration = duration
    self.isArchived = isArchived
    self.callType = callType
  }

  private enum CodingKeys: String, CodingKey {
    case id, direction, from, to, via, duration
    case createdAt = "created_at"
    case isArchived = "is_archived"
    case callType = "call_type"
  }

  /// `to` may be null but not missing: a response without it has another schema.
  public init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: CodingKeys.self)
    id = try fields.decode(Int.self, forKey: .id)
    createdAt = try fields.decode(SentDate.self, forKey: .createdAt)
    direction = try fields.decode(Direction.self, forKey: .direction)
    from = try fields.decode(String.self, forKey: .from)
    to = try fields.decode(String?.self, forKey: .to)
    via = try fields.decode(String.self, forKey: .via)
    duration = try fields.decode(String.self, forKey: .duration)
    isArchived = try fields.decode(Bool.self, forKey: .isArchived)
    callType = try fields.decode(Outcome.self, forKey: .callType)
  }

  /// Writes null for a call without a callee, like the server, so that the result can be decoded again.
  public func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: CodingKeys.self)
    try fields.encode(id, forKey: .id)
    try fields.encode(createdAt, forKey: .createdAt)
    try fields.encode(direction, forKey: .direction)
    try fields.encode(from, forKey: .from)
    try fields.encode(to, forKey: .to)
    try fields.encode(via, forKey: .via)
    try fields.encode(duration, forKey: .duration)
    try fields.encode(isArchived, forKey: .isArchived)
    try fields.encode(callType, forKey: .callType)
  }
}

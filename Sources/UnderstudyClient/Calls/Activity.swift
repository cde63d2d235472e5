/// A call in a company's call log.
public struct Activity: Sendable, Hashable, Codable, Identifiable {
  /// The id of the call, which grows with time.
  public var id: Int
  /// The time of the call.
  public var createdAt: SentDate
  /// The side that made the call.
  public var direction: Direction
  /// The number or name of the caller.
  public var from: String
  /// The callee; nil if there is none, as for a voicemail.
  public var to: String?
  /// The line of the company.
  public var via: String
  /// Seconds, as the server's string.
  public var duration: String
  /// True if the call is archived.
  public var isArchived: Bool
  /// The outcome of the call.
  public var callType: Outcome

  /// The side that made a call; values that are not listed here are possible.
  public struct Direction: RawRepresentable, Sendable, Hashable, Codable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The call came from outside.
    public static let inbound = Direction(rawValue: "inbound")
    /// A colleague made the call.
    public static let outbound = Direction(rawValue: "outbound")
  }

  /// The outcome of a call; values that are not listed here are possible.
  public struct Outcome: RawRepresentable, Sendable, Hashable, Codable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The call was not answered.
    public static let missed = Outcome(rawValue: "missed")
    /// The call was answered.
    public static let answered = Outcome(rawValue: "answered")
    /// The caller left a message.
    public static let voicemail = Outcome(rawValue: "voicemail")
  }

  /// `duration` in seconds; nil if it is not a number.
  public var seconds: Double? { Double(duration) }

  /// Creates a call, for previews and tests.
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

extension Backend.State {
  /// A phone call.
  public struct Activity: Sendable, Equatable, Codable {
    public var id: Int
    /// An RFC 3339 date-time.
    public var createdAt: String
    public var direction: String
    public var from: String
    public var to: String?
    public var via: String
    /// Seconds, as a string.
    public var duration: String
    public var isArchived: Bool
    public var callType: String

    private enum CodingKeys: String, CodingKey {
      case id, direction, from, to, via, duration
      case createdAt = "created_at"
      case isArchived = "is_archived"
      case callType = "call_type"
    }

    /// Writes null for a missing `to`, because the server requires the member.
    public func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(id, forKey: .id)
      try container.encode(createdAt, forKey: .createdAt)
      try container.encode(direction, forKey: .direction)
      try container.encode(from, forKey: .from)
      try container.encode(to, forKey: .to)
      try container.encode(via, forKey: .via)
      try container.encode(duration, forKey: .duration)
      try container.encode(isArchived, forKey: .isArchived)
      try container.encode(callType, forKey: .callType)
    }
  }

  public struct User: Sendable, Equatable, Codable {
    public var id: Int
    public var name: String
    public var username: String
    public var email: String
    public var address: Address
    public var phone: String
    public var website: String
    public var company: Company

    public struct Address: Sendable, Equatable, Codable {
      public var street: String
      public var suite: String
      public var city: String
      public var zipcode: String
      public var geo: Location

      public struct Location: Sendable, Equatable, Codable {
        public var lat: String
        public var lng: String
      }
    }

    public struct Company: Sendable, Equatable, Codable {
      public var name: String
      public var catchPhrase: String
      public var bs: String
    }
  }
}

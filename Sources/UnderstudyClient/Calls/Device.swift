/// A meter or heat cost allocator.
public struct Device: Sendable, Hashable, Codable, Identifiable {
  public var id: String
  public var type: Kind
  /// Where it is: `Kitchen`.
  public var meterPointDescription: String
  /// When it was installed; nil if it is not.
  public var installationDate: SentDate?

  /// What a device measures. Open, so that a new kind does not make a whole list unreadable.
  public struct Kind: RawRepresentable, Sendable, Hashable, Codable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let warmWater = Kind(rawValue: "warm_water")
    public static let coldWater = Kind(rawValue: "cold_water")
    public static let heating = Kind(rawValue: "heating")
  }

  private enum CodingKeys: CodingKey {
    case id, type, meterPointDescription, installationDate
  }

  public init(id: String, type: Kind, meterPointDescription: String, installationDate: SentDate?) {
    self.id = id
    self.type = type
    self.meterPointDescription = meterPointDescription
    self.installationDate = installationDate
  }

  /// A missing date is an error, as `null` is a statement: a reply that lost the field must not undo an installation.
  public init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: CodingKeys.self)
    id = try fields.decode(String.self, forKey: .id)
    type = try fields.decode(Kind.self, forKey: .type)
    meterPointDescription = try fields.decode(String.self, forKey: .meterPointDescription)
    installationDate = try fields.decode(SentDate?.self, forKey: .installationDate)
  }

  /// Writes no date as null, as the server does, so that what was encoded can be decoded.
  public func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: CodingKeys.self)
    try fields.encode(id, forKey: .id)
    try fields.encode(type, forKey: .type)
    try fields.encode(meterPointDescription, forKey: .meterPointDescription)
    try fields.encode(installationDate, forKey: .installationDate)
  }
}

/// What to change of a device. What is nil stays as it is.
public struct DeviceChange: Sendable, Hashable, Encodable {
  public var type: Device.Kind?
  public var meterPointDescription: String?
  public var installationDate: Installation?

  public init(
    type: Device.Kind? = nil, meterPointDescription: String? = nil, installationDate: Installation? = nil
  ) {
    self.type = type
    self.meterPointDescription = meterPointDescription
    self.installationDate = installationDate
  }

  /// An installation, or that there is none.
  public enum Installation: Sendable, Hashable, Encodable {
    case installed(SentDate)
    case removed

    public init(_ date: SentDate?) { self = date.map { .installed($0) } ?? .removed }

    public func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      switch self {
      case .installed(let date): try container.encode(date)
      case .removed: try container.encodeNil()
      }
    }
  }
}

/// A meter or heat cost allocator.
public struct Device: Sendable, Hashable, Codable, Identifiable {
  /// The id, which never changes.
  public var id: String
  /// The kind of meter.
  public var type: Kind
  /// The location of the device: `Kitchen`.
  public var meterPointDescription: String
  /// The installation date; nil if the device is not installed.
  public var installationDate: SentDate?

  /// The measured quantity. It is an open set, so that a new kind does not make a whole list unreadable.
  public struct Kind: RawRepresentable, Sendable, Hashable, Codable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A warm water meter.
    public static let warmWater = Kind(rawValue: "warm_water")
    /// A cold water meter.
    public static let coldWater = Kind(rawValue: "cold_water")
    /// A heating meter.
    public static let heating = Kind(rawValue: "heating")
  }

  private enum CodingKeys: CodingKey {
    case id, type, meterPointDescription, installationDate
  }

  /// Creates a device, for previews and tests.
  public init(id: String, type: Kind, meterPointDescription: String, installationDate: SentDate?) {
    self.id = id
    self.type = type
    self.meterPointDescription = meterPointDescription
    self.installationDate = installationDate
  }

  /// A missing date is an error, because `null` has a meaning: a response that lost the member must not undo an
  /// installation.
  public init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: CodingKeys.self)
    id = try fields.decode(String.self, forKey: .id)
    type = try fields.decode(Kind.self, forKey: .type)
    meterPointDescription = try fields.decode(String.self, forKey: .meterPointDescription)
    installationDate = try fields.decode(SentDate?.self, forKey: .installationDate)
  }

  /// Writes null for no date, like the server, so that the result can be decoded again.
  public func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: CodingKeys.self)
    try fields.encode(id, forKey: .id)
    try fields.encode(type, forKey: .type)
    try fields.encode(meterPointDescription, forKey: .meterPointDescription)
    try fields.encode(installationDate, forKey: .installationDate)
  }
}

/// A change to a device. Members that are nil do not change.
public struct DeviceChange: Sendable, Hashable, Encodable {
  /// The new kind of meter; nil does not change it.
  public var type: Device.Kind?
  /// The new place in the building; nil does not change it.
  public var meterPointDescription: String?
  /// The new installation; nil does not change it.
  public var installationDate: Installation?

  public init(
    type: Device.Kind? = nil, meterPointDescription: String? = nil, installationDate: Installation? = nil
  ) {
    self.type = type
    self.meterPointDescription = meterPointDescription
    self.installationDate = installationDate
  }

  /// An installation date, or the removal of one.
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

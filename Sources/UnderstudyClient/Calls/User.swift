/// A user of the practice service.
public struct User: Sendable, Hashable, Codable, Identifiable {
  public var id: Int
  public var name: String
  public var username: String
  public var email: String
  public var address: Address
  public var phone: String
  public var website: String
  public var company: Company

  /// A postal address.
  public struct Address: Sendable, Hashable, Codable {
    public var street: String
    public var suite: String
    public var city: String
    public var zipcode: String
    public var geo: Location

    /// Creates an address.
    public init(street: String, suite: String, city: String, zipcode: String, geo: Location) {
      self.street = street
      self.suite = suite
      self.city = city
      self.zipcode = zipcode
      self.geo = geo
    }
  }

  /// Degrees, as the server's strings.
  public struct Location: Sendable, Hashable, Codable {
    /// Degrees north, as text.
    public var lat: String
    /// Degrees east, as text.
    public var lng: String

    /// Creates a location.
    public init(lat: String, lng: String) {
      self.lat = lat
      self.lng = lng
    }
  }

  /// A company.
  public struct Company: Sendable, Hashable, Codable {
    public var name: String
    public var catchPhrase: String
    public var bs: String

    /// Creates a company.
    public init(name: String, catchPhrase: String, bs: String) {
      self.name = name
      self.catchPhrase = catchPhrase
      self.bs = bs
    }
  }
}

/// The fields of a user to write. Fields that are nil are not sent.
public struct UserDraft: Sendable, Hashable, Codable {
  public var name: String?
  public var username: String?
  public var email: String?
  public var address: User.Address?
  public var phone: String?
  public var website: String?
  public var company: User.Company?

  /// Creates a draft of some fields.
  public init(name: String? = nil, username: String? = nil, email: String? = nil, phone: String? = nil) {
    self.name = name
    self.username = username
    self.email = email
    self.phone = phone
  }
}

/// The response to a write. The server stores nothing: the next read returns the user as before.
public struct WrittenUser: Sendable, Hashable, Decodable, Identifiable {
  public var id: Int
  /// The fields that the server returned.
  public var fields: UserDraft

  init(id: Int, fields: UserDraft) {
    self.id = id
    self.fields = fields
  }

  public init(from decoder: any Decoder) throws {
    id = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .id)
    fields = try UserDraft(from: decoder)
  }

  private enum CodingKeys: CodingKey {
    case id
  }
}

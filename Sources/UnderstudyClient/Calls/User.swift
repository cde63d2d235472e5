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

  public struct Address: Sendable, Hashable, Codable {
    public var street: String
    public var suite: String
    public var city: String
    public var zipcode: String
    public var geo: Location

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
    public var lat: String
    public var lng: String

    public init(lat: String, lng: String) {
      self.lat = lat
      self.lng = lng
    }
  }

  public struct Company: Sendable, Hashable, Codable {
    public var name: String
    public var catchPhrase: String
    public var bs: String

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

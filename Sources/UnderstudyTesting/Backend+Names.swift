extension Backend {
  /// An HTTP method, such as `.patch`; one without a constant is written as a string literal.
  public struct Method: RawRepresentable, Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The method in upper case.
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue.uppercased() }

    public init(stringLiteral value: String) { self.init(rawValue: value) }

    public var description: String { rawValue }

    public static let get: Method = "GET"
    public static let head: Method = "HEAD"
    public static let post: Method = "POST"
    public static let put: Method = "PUT"
    public static let patch: Method = "PATCH"
    public static let delete: Method = "DELETE"
    public static let options: Method = "OPTIONS"
  }

  /// One of the APIs that a backend serves.
  public struct API: RawRepresentable, Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    public init(stringLiteral value: String) { self.init(rawValue: value) }

    public var description: String { rawValue }

    public static let devices: API = "devices"
    public static let activities: API = "activities"
    public static let house: API = "house"
    public static let users: API = "users"
    public static let booking: API = "booking"
  }
}

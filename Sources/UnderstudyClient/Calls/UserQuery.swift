/// A selection and an order of users.
public struct UserQuery: Sendable, Hashable {
  /// All filters must match; of several filters with the same path and comparison, one must match.
  public var filters: [Filter] = []
  /// A text that some value of the user contains; case is ignored.
  public var text: String?
  /// The order of the users, the first criterion first; by default the server's.
  public var sort: [Sort] = []
  /// The number of users to skip; requires `end` or `limit`.
  public var start: Int?
  /// The index at which the list ends, exclusive.
  public var end: Int?
  /// The maximum number of users.
  public var limit: Int?
  /// The number of the page, starting at 1; a page has ten users unless `limit` is set.
  public var page: Int?

  /// Creates a query for all users.
  public init() {}

  /// A condition on a field.
  public struct Filter: Sendable, Hashable {
    /// A path into the user: `username`, `address.city`.
    public var path: String
    /// The comparison of the field with the value.
    public var comparison: Comparison
    /// The value, as text.
    public var value: String

    /// Creates the condition that a field has a value.
    public init(_ path: String, equals value: String) { self.init(path, .equals, value) }

    /// Creates a condition.
    public init(_ path: String, _ comparison: Comparison, _ value: String) {
      self.path = path
      self.comparison = comparison
      self.value = value
    }
  }

  /// A comparison of a field with a value.
  public enum Comparison: String, Sendable, Hashable {
    case equals = ""
    case atLeast = "_gte"
    case atMost = "_lte"
    case differs = "_ne"
    /// The value contains the text; case is ignored.
    case like = "_like"
  }

  /// A criterion of the order.
  public struct Sort: Sendable, Hashable {
    /// The path of the field, such as `address.city`.
    public var path: String
    /// True if the largest value comes first.
    public var isDescending: Bool

    /// Creates a criterion.
    public init(_ path: String, descending isDescending: Bool = false) {
      self.path = path
      self.isDescending = isDescending
    }
  }

  var items: [(String, String)] {
    var items = filters.map { ($0.path + $0.comparison.rawValue, $0.value) }
    if let text { items.append(("q", text)) }
    if !sort.isEmpty {
      items.append(("_sort", sort.map(\.path).joined(separator: ",")))
      items.append(("_order", sort.map { $0.isDescending ? "desc" : "asc" }.joined(separator: ",")))
    }
    for (name, number) in [("_start", start), ("_end", end), ("_limit", limit), ("_page", page)] {
      if let number { items.append((name, "\(number)")) }
    }
    return items
  }
}

/// A list of users and, if the list was sliced, the total number of users.
public struct UserPage: Sendable, Hashable {
  /// The users of the page.
  public var users: [User]
  /// The number of users before slicing; nil if the list was not sliced.
  public var totalCount: Int?

  /// Creates a page.
  public init(users: [User], totalCount: Int? = nil) {
    self.users = users
    self.totalCount = totalCount
  }
}

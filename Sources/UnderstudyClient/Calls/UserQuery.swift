/// Which users to list, and in which order.
public struct UserQuery: Sendable, Hashable {
  /// All must hold; two filters of one path and comparison mean either.
  public var filters: [Filter] = []
  /// A text that any value of the user has, whatever its case.
  public var text: String?
  public var sort: [Sort] = []
  /// How many users to leave out in front; needs `end` or `limit`.
  public var start: Int?
  /// The place before which to stop.
  public var end: Int?
  public var limit: Int?
  /// From 1 on; ten users a page unless `limit` says otherwise.
  public var page: Int?

  public init() {}

  public struct Filter: Sendable, Hashable {
    /// A path into the user: `username`, `address.city`.
    public var path: String
    public var comparison: Comparison
    public var value: String

    public init(_ path: String, equals value: String) { self.init(path, .equals, value) }

    public init(_ path: String, _ comparison: Comparison, _ value: String) {
      self.path = path
      self.comparison = comparison
      self.value = value
    }
  }

  public enum Comparison: String, Sendable, Hashable {
    case equals = ""
    case atLeast = "_gte"
    case atMost = "_lte"
    case differs = "_ne"
    /// Contains, whatever the case.
    case like = "_like"
  }

  public struct Sort: Sendable, Hashable {
    public var path: String
    public var isDescending: Bool

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

/// A list of users, and how many there are in all where the list was cut.
public struct UserPage: Sendable, Hashable {
  public var users: [User]
  /// Without the slicing; nil where nothing was sliced.
  public var totalCount: Int?

  public init(users: [User], totalCount: Int? = nil) {
    self.users = users
    self.totalCount = totalCount
  }
}

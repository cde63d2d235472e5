import JSON

/// One key of a query with all its values: which users it keeps.
struct UserFilter {
  private let path: UserPath
  private let comparison: Comparison
  private let values: Set<String>
  private let patterns: [LikePattern]

  private enum Comparison: String, CaseIterable {
    case atLeast = "_gte"
    case atMost = "_lte"
    case different = "_ne"
    case like = "_like"
    case equal = ""
  }

  private static let slicing: Set<String> = ["q", "_sort", "_order", "_start", "_end", "_limit", "_page"]

  /// The filters of a query, without those whose path leads nowhere in any user.
  static func all(in query: Query, over paths: UserPath.Tree) -> [UserFilter] {
    Dictionary(grouping: query.pairs.lazy.filter { !slicing.contains($0.name) }, by: \.name)
      .map { UserFilter($0, Set($1.map(\.value))) }
      .filter { paths.contains($0.path) }
  }

  private init(_ key: String, _ values: Set<String>) {
    comparison = Comparison.allCases.first { key.hasSuffix($0.rawValue) } ?? .equal
    path = UserPath(key.dropLast(comparison.rawValue.count))
    self.values = values
    patterns = comparison == .like ? values.map { LikePattern($0) } : []
  }

  /// Several values are alternatives, except that a user must differ from each of them.
  func allows(_ user: JSON) -> Bool {
    guard let value = user.value(at: path), let text = value.scalarText else { return false }
    return switch comparison {
    case .equal: values.contains(text)
    case .different: !values.contains(text)
    case .atLeast: values.contains { value.isOrderedOrEqual(after: $0) }
    case .atMost: values.contains { value.isOrderedOrEqual(before: $0) }
    case .like: patterns.contains { $0.matches(text) }
    }
  }
}

extension JSON {
  /// The value at the end of a path.
  func value(at path: UserPath) -> JSON? {
    var value = self
    for name in path.names {
      guard let next = value[name] else { return nil }
      value = next
    }
    return value
  }

  /// The text of a value that is neither null nor made of others.
  var scalarText: String? {
    switch self {
    case .string(let text): text
    case .number(let number): number.text
    case .bool(let flag): flag ? "true" : "false"
    case .null, .array, .object: nil
    }
  }

  /// Whether any value in here has `wanted`, which is in lower case, in its text.
  func contains(_ wanted: String) -> Bool {
    switch self {
    case .array(let elements): elements.contains { $0.contains(wanted) }
    case .object(let object): object.members.contains { $0.value.contains(wanted) }
    default: scalarText.map { LikePattern.text($0.lowercased(), contains: wanted) } ?? false
    }
  }

  /// Numbers are compared as numbers, anything else as text.
  fileprivate func isOrderedOrEqual(after text: String) -> Bool {
    guard case .number(let number) = self else { return !JSON.isOrdered(self, .string(text)) }
    return Double(text).map { number.double >= $0 } ?? false
  }

  fileprivate func isOrderedOrEqual(before text: String) -> Bool {
    guard case .number(let number) = self else { return !JSON.isOrdered(.string(text), self) }
    return Double(text).map { number.double <= $0 } ?? false
  }

  /// Whether one value comes before another when users are sorted; what is missing comes last.
  static func isOrdered(_ left: JSON?, _ right: JSON?) -> Bool {
    if case (.number(let left)?, .number(let right)?) = (left, right) { return left.double < right.double }
    switch (left?.scalarText, right?.scalarText) {
    case (let left?, let right?): return left.utf8.lexicographicallyPrecedes(right.utf8)
    case (_?, nil): return true
    case (nil, _): return false
    }
  }
}

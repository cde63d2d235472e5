import JSON

/// One key of a query with all its values: a condition on users.
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

  /// Returns the filters of a query, without those whose path exists in no user.
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

  /// Returns true if the user matches one of the values, or, for `_ne`, differs from all of them.
  func allows(_ user: JSONValue) -> Bool {
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

extension JSONValue {
  /// Returns the value at the end of a path.
  func value(at path: UserPath) -> JSONValue? {
    var value = self
    for name in path.names {
      guard let next = value[name] else { return nil }
      value = next
    }
    return value
  }

  /// The text of a scalar value; nil for null, arrays and objects.
  var scalarText: String? {
    switch self {
    case .string(let text): text
    case .number(let number): number.text
    case .bool(let flag): flag ? "true" : "false"
    case .null, .array, .object: nil
    }
  }

  /// Returns true if the text of this value or of any value in it contains `needle`, which is in lower case.
  func contains(_ needle: String) -> Bool {
    switch self {
    case .array(let elements): elements.contains { $0.contains(needle) }
    case .object(let object): object.members.contains { $0.value.contains(needle) }
    default: scalarText.map { LikePattern.text($0.lowercased(), contains: needle) } ?? false
    }
  }

  /// Compares numbers as numbers, and other values as text.
  fileprivate func isOrderedOrEqual(after text: String) -> Bool {
    guard case .number(let number) = self else { return !JSONValue.isOrdered(self, .string(text)) }
    return Double(text).map { number.double >= $0 } ?? false
  }

  fileprivate func isOrderedOrEqual(before text: String) -> Bool {
    guard case .number(let number) = self else { return !JSONValue.isOrdered(.string(text), self) }
    return Double(text).map { number.double <= $0 } ?? false
  }

  /// Returns true if the left value precedes the right one when users are sorted; missing values come last.
  static func isOrdered(_ left: JSONValue?, _ right: JSONValue?) -> Bool {
    if case (.number(let left)?, .number(let right)?) = (left, right) { return left.double < right.double }
    switch (left?.scalarText, right?.scalarText) {
    case (let left?, let right?): return left.utf8.lexicographicallyPrecedes(right.utf8)
    case (_?, nil): return true
    case (nil, _): return false
    }
  }
}

import JSON
import Primitives

/// A part of a request, as a file of semantics names it: `/params/name` for a member of the content, `?action` for a
/// parameter of the query, `X-Amz-Target` for a header field.
package enum RequestPart: Sendable, Hashable {
  /// The steps of a JSON pointer (RFC 6901).
  case member([String])
  case parameter(String)
  /// The name in lower case.
  case field(String)

  package static let expectation =
    "a JSON pointer as in \"/params/name\", a parameter as in \"?action\", or the name of a header field"
  static let maximumSteps = 16

  package init?(_ text: String) {
    guard text.utf8.count <= 200 else { return nil }
    if text.hasPrefix("?") {
      guard text.count > 1 else { return nil }
      self = .parameter(String(text.dropFirst()))
    } else if text.hasPrefix("/") {
      let steps = text.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
      guard text.count > 1, steps.count <= Self.maximumSteps else { return nil }
      self = .member(steps.map { String($0).replacing("~1", with: "/").replacing("~0", with: "~") })
    } else {
      guard Match.isToken(text) else { return nil }
      self = .field(text.lowercased())
    }
  }
}

extension JSONValue {
  /// Returns the values at a path of names.
  ///
  /// A list in place of one value, such as a batch of calls, stands for all of its elements. Returns none if the value, or
  /// one element of a list, has nothing at the path.
  func values(at path: ArraySlice<String>) -> [JSONValue] {
    if case .array(let elements) = self {
      if let index = path.first.flatMap({ Int($0) }), elements.indices.contains(index) {
        return elements[index].values(at: path.dropFirst())
      }
      let found = elements.map { $0.values(at: path) }
      return found.contains(where: \.isEmpty) ? [] : found.flatMap(\.self)
    }
    guard let name = path.first else { return [self] }
    return self[name]?.values(at: path.dropFirst()) ?? []
  }

  /// The text with which a pattern is compared: a string's content, and any other value as JSON.
  var comparedText: String { string ?? text }
}

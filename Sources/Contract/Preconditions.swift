/// The preconditions of a request on entity tags (RFC 9110 section 13.1).
///
/// Preconditions on dates are not evaluated: no response has `Last-Modified`, and tags take precedence (RFC 9110
/// section 13.2.2).
package struct Preconditions: Sendable {
  package var ifMatch: EntityTagCondition?
  package var ifNoneMatch: EntityTagCondition?

  package init(ifMatch: EntityTagCondition? = nil, ifNoneMatch: EntityTagCondition? = nil) {
    self.ifMatch = ifMatch
    self.ifNoneMatch = ifNoneMatch
  }

  package var isEmpty: Bool { ifMatch == nil && ifNoneMatch == nil }

  package enum Result: Sendable {
    case proceed
    /// 304: the client already has the current representation.
    case notModified
    /// 412.
    case failed
  }

  /// Evaluates the preconditions in the order of RFC 9110 section 13.2.2.
  ///
  /// - Parameters:
  ///   - current: The tag of the target's representation, if it has one.
  ///   - isRetrieval: True if the method is GET or HEAD.
  package func result(for current: EntityTag?, isRetrieval: Bool) -> Result {
    if let ifMatch, !ifMatch.holds(for: current, isStrong: true) { return .failed }
    if let ifNoneMatch, ifNoneMatch.holds(for: current, isStrong: false) {
      return isRetrieval ? .notModified : .failed
    }
    return .proceed
  }
}

/// The value of `If-Match` or `If-None-Match`: `*`, or a list of entity tags.
package enum EntityTagCondition: Sendable, Equatable {
  case any
  /// The tags as sent, `W/` included.
  case tags([String])

  /// Parses all field lines of that name, joined by commas. An element that is not an entity tag matches nothing.
  package init(parsing text: String) {
    let trimmed = text.trimmingBlanks
    guard trimmed != "*" else {
      self = .any
      return
    }
    var tags: [String] = []
    var rest = trimmed[...]
    while let quote = rest.firstIndex(of: "\""),
      let end = rest[rest.index(after: quote)...].firstIndex(of: "\"")
    {
      let isWeak = rest[..<quote].hasSuffix("W/")
      tags.append((isWeak ? "W/" : "") + rest[quote...end])
      rest = rest[rest.index(after: end)...]
    }
    self = .tags(tags)
  }

  /// Returns true if the current representation is among the tags, by the strong or the weak comparison of section
  /// 8.8.3.2.
  func holds(for current: EntityTag?, isStrong: Bool) -> Bool {
    guard let current else { return false }
    switch self {
    case .any: return true
    case .tags(let tags):
      if isStrong { return !current.isWeak && tags.contains(current.text) }
      return tags.contains { Self.opaque($0) == Self.opaque(current.text) }
    }
  }

  /// Returns a tag without `W/`.
  package static func opaque(_ tag: String) -> Substring { tag.hasPrefix("W/") ? tag.dropFirst(2) : tag[...] }
}

extension String {
  /// The text without spaces and tabs at its ends, the optional white space of HTTP.
  package var trimmingBlanks: String {
    let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
    guard let first = firstIndex(where: { !isBlank($0) }), let last = lastIndex(where: { !isBlank($0) }) else {
      return ""
    }
    return String(self[first...last])
  }
}

/// A path in which `*` matches any run within one segment, and a segment `**` any number of segments, including none.
///
/// Empty segments are ignored on both sides, so that a trailing slash makes no difference.
package struct PathGlob: Sendable, Hashable {
  package let text: String
  private let segments: [Segment]
  /// The beginning of every matching path: most paths differ in it, and need no comparison of segments.
  private let prefix: [UInt8]

  private enum Segment: Sendable, Hashable {
    case pattern(GlobPattern)
    case any
  }

  static let expectation = "a path that starts with / and has ** only as a whole segment, as in \"/devices/*\""

  package init?(_ text: String) {
    guard text.hasPrefix("/"), text.utf8.count <= 1_000 else { return nil }
    var segments: [Segment] = []
    for segment in text.split(separator: "/") {
      if segment == "**" {
        // Two in a row mean the same as one, and would make some searches slow.
        if segments.last != .any { segments.append(.any) }
      } else if segment.contains("**") {
        return nil
      } else {
        segments.append(.pattern(GlobPattern(segment.utf8)))
      }
    }
    self.text = text
    self.segments = segments
    prefix = Self.prefix(segments)
  }

  private static func prefix(_ segments: [Segment]) -> [UInt8] {
    var prefix: [UInt8] = []
    for case .pattern(let pattern) in segments.prefix(while: { $0 != .any }) {
      prefix += [UInt8(ascii: "/")] + pattern.prefix
      if pattern.hasStar { break }
    }
    return prefix
  }

  private func startsAlike(_ path: String) -> Bool {
    var bytes = path.utf8.makeIterator()
    for byte in prefix where bytes.next() != byte { return false }
    return true
  }

  /// Returns true if a path in a stream's form matches.
  ///
  /// It reads the path without splitting it, because splitting would cost an allocation per request.
  package func matches(_ path: String) -> Bool {
    guard startsAlike(path) else { return false }
    let bytes = path.utf8[...]
    var index = 0
    var rest = bytes
    var retry: (index: Int, rest: Substring.UTF8View)?
    var skippedCount = 0
    while true {
      if index < segments.count, case .any = segments[index] {
        index += 1
        // At the end it matches the whole rest.
        if index == segments.count { return true }
        retry = (index, rest)
        continue
      }
      guard let (segment, further) = Self.next(rest) else {
        return segments[index...].allSatisfy { if case .any = $0 { true } else { false } }
      }
      if index < segments.count, case .pattern(let pattern) = segments[index],
        pattern.matches(segment)
      {
        index += 1
        rest = further
      } else if skippedCount < Self.maximumSkipped, let last = retry, let (_, skipped) = Self.next(last.rest) {
        skippedCount += 1
        index = last.index
        rest = skipped
        retry = (index, skipped)
      } else {
        return false
      }
    }
  }

  /// The maximum number of segments that all `**` of a glob before other segments match together: no API's path has as
  /// many, and a thousand rules may examine one path.
  package static let maximumSkipped = 64

  private static func next(_ path: Substring.UTF8View) -> (segment: Substring.UTF8View, rest: Substring.UTF8View)? {
    let slash = UInt8(ascii: "/")
    guard let start = path.firstIndex(where: { $0 != slash }) else { return nil }
    let end = path[start...].firstIndex(of: slash) ?? path.endIndex
    return (path[start..<end], path[end...])
  }

  /// Returns true if some path of a template such as `/devices/{id}` matches.
  package func canMatch(template: String) -> Bool {
    Self.canMatch(segments[...], template.split(separator: "/")[...])
  }

  private static func canMatch(_ segments: ArraySlice<Segment>, _ template: ArraySlice<Substring>) -> Bool {
    guard let first = segments.first else { return template.isEmpty }
    switch first {
    case .any:
      // Each pair of them has a segment in between that consumes one of the template's, and templates are short, so the
      // recursion ends soon.
      return (0...template.count).contains { canMatch(segments.dropFirst(), template.dropFirst($0)) }
    case .pattern(let pattern):
      guard let segment = template.first else { return false }
      let fits = segment.contains("{") || pattern.matches(segment.utf8)
      return fits && canMatch(segments.dropFirst(), template.dropFirst())
    }
  }
}

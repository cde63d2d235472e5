/// A path in which `*` matches any run within one segment, and a segment `**` any number of segments, including none.
///
/// Empty segments are ignored on both sides, so that a trailing slash makes no difference.
package struct PathGlob: Sendable, Hashable {
  package let text: String
  private let segments: [Segment]
  /// The beginning that all matching paths share. Most other paths differ in it, so that their segments need not be
  /// compared.
  private let prefix: [UInt8]

  private enum Segment: Sendable, Hashable {
    case pattern(Glob)
    case any
  }

  package static let expectation = "a path that starts with / and has ** only as a whole segment, as in \"/devices/*\""

  package init?(_ text: String) {
    guard text.hasPrefix("/"), text.utf8.count <= 1_000 else { return nil }
    var segments: [Segment] = []
    for segment in text.split(separator: "/") {
      if segment == "**" {
        // Two in a row mean the same as one, and would make some comparisons slow.
        if segments.last != .any { segments.append(.any) }
      } else if segment.contains("**") {
        return nil
      } else {
        segments.append(.pattern(Glob(segment)))
      }
    }
    self.text = text
    self.segments = segments
    prefix = Self.prefix(segments)
  }

  /// Creates the glob of a text that is none. It matches nothing, and its scenario is refused.
  init(invalid text: String) {
    self.text = text
    segments = []
    prefix = [0]
  }

  private static func prefix(_ segments: [Segment]) -> [UInt8] {
    var prefix: [UInt8] = []
    for case .pattern(let pattern) in segments.prefix(while: { $0 != .any }) {
      prefix += [UInt8(ascii: "/")] + pattern.prefix
      if pattern.hasStar { break }
    }
    return prefix
  }

  /// Returns true if a path in a stream's form matches.
  package func matches(_ path: String) -> Bool { matches(SplitPath(path)) }

  /// Returns true if a path in a stream's form matches.
  func matches(_ path: SplitPath) -> Bool {
    guard path.bytes.count >= prefix.count,
      Glob.areEqual(path.bytes, from: 0, prefix, from: 0, count: prefix.count)
    else { return false }
    var (index, rest, searched) = (0, 0, 0)
    var retry: (index: Int, rest: Int)?
    var skippedCount = 0
    while true {
      if index < segments.count, case .any = segments[index] {
        index += 1
        // A final `**` matches the whole rest.
        if index == segments.count { return true }
        retry = (index, rest)
        continue
      }
      guard rest < path.segments.count else {
        return segments[index...].allSatisfy { if case .any = $0 { true } else { false } }
      }
      if index < segments.count, case .pattern(let pattern) = segments[index],
        pattern.matches(path.bytes, in: path.segments[rest], &searched)
      {
        index += 1
        rest += 1
      } else if skippedCount < Self.maximumSkipped, let last = retry, last.rest < path.segments.count {
        skippedCount += 1
        index = last.index
        rest = last.rest + 1
        retry = (index, rest)
      } else {
        return false
      }
    }
  }

  /// The maximum number of segments that all `**` of a glob before other segments match together: no API's path has as
  /// many, and a thousand rules may examine one path.
  package static let maximumSkipped = 64

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
      let fits = segment.contains("{") || pattern.matches(Array(segment.utf8))
      return fits && canMatch(segments.dropFirst(), template.dropFirst())
    }
  }
}

/// The bytes of a path in a stream's form, and the ranges of its segments, found once for all rules.
struct SplitPath {
  let bytes: [UInt8]
  let segments: [Range<Int>]

  init(_ path: String) {
    bytes = Array(path.utf8)
    segments = bytes.split(separator: UInt8(ascii: "/")).map { $0.startIndex..<$0.endIndex }
  }
}

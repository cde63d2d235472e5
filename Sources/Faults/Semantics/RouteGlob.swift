package import JSON
import Primitives

/// A method and a glob of paths, or a glob alone: `POST /orders/*`.
package struct RouteGlob: Sendable {
  package let text: String
  /// Nil for every method.
  package let method: String?
  package let path: PathGlob

  package static let expectation = "a method and a path, as in \"POST /orders/*\", or a path alone"

  package init(_ json: JSONValue?, at pointer: JSONPointer) throws(ValidationError) {
    guard let text = json?.string else {
      throw ValidationError(pointer, "expected \(Self.expectation), found \(Reader.found(json))")
    }
    let words = text.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    guard let last = words.last, words.count <= 2, let path = PathGlob(last) else {
      throw ValidationError(
        pointer,
        "expected \(Self.expectation), in which * is a part of one segment and ** any segments, found "
          + Reader.found(json))
    }
    if let advice = PathGlob.advice(on: last) {
      let parameter = last.contains("?") ? ", and the parameter in \"where\": {\"?name\": \"*\"}" : ""
      throw ValidationError(
        pointer, "expected \(Self.expectation), found \(Reader.found(json)); \(advice)\(parameter)")
    }
    if words.count == 2 { try Self.check(words[0], at: pointer) }
    method = words.count == 2 ? words[0] : nil
    self.text = text
    self.path = path
  }

  private static func check(_ method: String, at pointer: JSONPointer) throws(ValidationError) {
    guard method != "HEAD" else {
      throw ValidationError(pointer, "expected another method than HEAD, which means what GET on the same path means")
    }
    guard RegisteredMethod.named(method) == nil else { return }
    let known = Match.knownMethods
    let advice = Spelling.suggestion(for: method.uppercased(), among: known, after: "; ")
    throw ValidationError(
      pointer, "unknown method \(method); expected one of \(known.joined(separator: ", "))\(advice)")
  }

  /// - Parameter method: HEAD must be given as GET.
  func matches(_ method: String, _ path: SplitPath) -> Bool {
    (self.method == nil || self.method == method) && self.path.matches(path)
  }

  /// Paths that stand for all that the glob matches: another glob that matches each of them matches every such path. A star
  /// stands for itself, because nothing but a star matches it; any number of segments stands for none, one and three.
  var representatives: [SplitPath] {
    let segments = path.text.split(separator: "/").map(String.init)
    return [0, 1, 3].map { (count: Int) -> SplitPath in
      let filled = segments.flatMap { $0 == "**" ? Array(repeating: "*", count: count) : [$0] }
      return SplitPath("/" + filled.joined(separator: "/"))
    }
  }
}

extension PathGlob {
  /// Returns the spelling that was probably meant by a text that is a glob and matches no request, as words that end a
  /// sentence; nil if some request may match.
  package static func advice(on text: String) -> String? {
    if let query = text.firstIndex(of: "?") {
      return "a path has no query: write \"\(text[..<query])\""
    }
    if isPercentEncoded(text) {
      return "write it percent-decoded, as it is matched: \"\(PercentCoding.decode(Array(text.utf8)[...]))\""
    }
    let segments = text.split(separator: "/", omittingEmptySubsequences: false)
    let written = segments.map { isVariable($0) ? "*" : $0 }.joined(separator: "/")
    return written == text ? nil : "a variable segment is *: write \"\(written)\""
  }

  private static func isPercentEncoded(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    return bytes.indices.dropLast(2).contains { index in
      bytes[index] == Byte.percent && bytes[index + 1...index + 2].allSatisfy { Byte.hexValue($0) != nil }
    }
  }

  /// True if frameworks write a variable segment so: `{id}`, `:id`, `<id>`. A path may have `[id]` as it is.
  private static func isVariable(_ segment: Substring) -> Bool {
    guard let first = segment.first, let last = segment.last, segment.count > 1 else { return false }
    if first == ":" { return segment.dropFirst().allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "-" } }
    return ["{}", "<>"].contains(String([first, last]))
  }
}

/// The names of an object's members, in a fixed order. Their lengths, in which most differ, are compared first.
///
/// A parser that knows the names finds them by their bytes, and makes no new strings of them.
package final class NameTable: Sendable {
  private let names: [String]
  private let lengths: [Int]
  /// The names as JSON, in quotes.
  private let tokens: [[UInt8]]

  package static let empty = NameTable([])

  package init(_ names: [String]) {
    self.names = names
    lengths = names.map(\.utf8.count)
    tokens = names.map { JSONValue.string($0).bytes() }
  }

  package func index(of name: String) -> Int? {
    let length = name.utf8.count
    for index in lengths.indices where lengths[index] == length && names[index] == name { return index }
    return nil
  }

  /// Returns the name that stands in a JSON text, and the end of its token; nil if there is none of these names.
  func name(in bytes: ArraySlice<UInt8>, at start: Int) -> (name: String, end: Int)? {
    for index in tokens.indices {
      let end = start + tokens[index].count
      guard end <= bytes.endIndex, bytes[end - 1] == UInt8(ascii: "\"") else { continue }
      if Self.holds(bytes.span, tokens[index], at: start - bytes.startIndex) { return (names[index], end) }
    }
    return nil
  }

  private static func holds(_ bytes: Span<UInt8>, _ token: [UInt8], at offset: Int) -> Bool {
    for index in token.indices where bytes[offset + index] != token[index] { return false }
    return true
  }
}

/// Finds the position of a value in a JSON text by its pointer.
package struct JSONLocator {
  private let bytes: [UInt8]

  /// - Parameter bytes: The content of a file that was parsed without an error.
  package init(_ bytes: [UInt8]) { self.bytes = Array(bytes.withoutByteOrderMark) }

  /// A line and a column, both counted from 1; columns count characters.
  package struct Position: Equatable, Sendable, CustomStringConvertible {
    package let line: Int
    package let column: Int

    package var description: String { "\(line):\(column)" }
  }

  /// Returns the line and the column of a byte.
  package static func position(of offset: Int, in bytes: [UInt8]) -> Position {
    let before = bytes.prefix(offset)
    let start = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
    let line = before.count { $0 == UInt8(ascii: "\n") } + 1
    return Position(line: line, column: String(decoding: before[start...], as: UTF8.self).count + 1)
  }

  /// Returns the position of the value at the pointer or, if there is none, that of the innermost value that would
  /// contain it.
  ///
  /// - Parameter isName: True to return the position of the member's name instead of its value.
  package func position(of pointer: JSONPointer, isName: Bool = false) -> Position {
    let parts = pointer.description.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map { part in
      part.split(separator: "~1", omittingEmptySubsequences: false).joined(separator: "/")
        .split(separator: "~0", omittingEmptySubsequences: false).joined(separator: "~")
    }
    var parser = JSONParser(bytes: bytes[...])
    // The text has no error, so every value in it can be skipped.
    let offset = try? Self.offset(of: parts[...], isName, &parser)
    return Self.position(of: offset ?? parser.index, in: bytes)
  }

  private static func offset(
    of parts: ArraySlice<String>, _ isName: Bool, _ parser: inout JSONParser
  ) throws(JSONSyntaxError) -> Int {
    parser.skipWhitespace()
    let start = parser.index
    guard let part = parts.first, let open = parser.peek, open == UInt8(ascii: "{") || open == UInt8(ascii: "[") else {
      return start
    }
    parser.index += 1
    for element in 0... {
      parser.skipWhitespace()
      guard let byte = parser.peek, byte != UInt8(ascii: "}"), byte != UInt8(ascii: "]") else { return start }
      let nameStart = parser.index
      var name = String(element)
      if open == UInt8(ascii: "{") {
        name = try parser.string()
        parser.skipWhitespace()
        parser.index += 1
      }
      // A pointer contains long names in abbreviated form.
      if name == part || name.abbreviated(to: 100) == part {
        return parts.count == 1 && isName ? nameStart : try offset(of: parts.dropFirst(), isName, &parser)
      }
      parser.skipWhitespace()
      _ = try parser.value()
      parser.skipWhitespace()
      if parser.peek == UInt8(ascii: ",") { parser.index += 1 }
    }
    return start
  }
}

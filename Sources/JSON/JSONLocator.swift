/// Finds the position of a value in a JSON text by its pointer.
package struct JSONLocator {
  private let bytes: [UInt8]
  private var index = 0

  /// - Parameter bytes: A text that was parsed without an error.
  package init(_ bytes: [UInt8]) { self.bytes = bytes }

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
    var locator = self
    let parts = pointer.description.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map { part in
      part.split(separator: "~1", omittingEmptySubsequences: false).joined(separator: "/")
        .split(separator: "~0", omittingEmptySubsequences: false).joined(separator: "~")
    }
    return Self.position(of: locator.offset(of: parts[...], isName), in: bytes)
  }

  private mutating func offset(of parts: ArraySlice<String>, _ isName: Bool) -> Int {
    skipBlanks()
    let start = index
    guard let part = parts.first, let open = peek, open == UInt8(ascii: "{") || open == UInt8(ascii: "[") else {
      return start
    }
    index += 1
    for element in 0... {
      skipBlanks()
      guard let byte = peek, byte != UInt8(ascii: "}"), byte != UInt8(ascii: "]") else { return start }
      let nameStart = index
      var name = String(element)
      if open == UInt8(ascii: "{") {
        skipString()
        name = (try? JSONValue(parsing: bytes[nameStart..<index]))?.string ?? ""
        skipBlanks()
        index += 1
      }
      // A pointer contains long names in abbreviated form.
      if name == part || name.abbreviated(to: 100) == part {
        return parts.count == 1 && isName ? nameStart : offset(of: parts.dropFirst(), isName)
      }
      skipValue()
      skipBlanks()
      if peek == UInt8(ascii: ",") { index += 1 }
    }
    return start
  }

  private var peek: UInt8? { index < bytes.count ? bytes[index] : nil }

  private mutating func skipBlanks() {
    while let byte = peek, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { index += 1 }
  }

  private mutating func skipString() {
    index += 1
    while let byte = peek, byte != UInt8(ascii: "\"") { index += byte == UInt8(ascii: "\\") ? 2 : 1 }
    index += 1
  }

  private mutating func skipValue() {
    var depth = 0
    skipBlanks()
    while let byte = peek {
      switch byte {
      case UInt8(ascii: "\""):
        skipString()
        if depth == 0 { return }
        continue
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        if depth == 0 { return }
        depth -= 1
        if depth == 0 {
          index += 1
          return
        }
      case UInt8(ascii: ","): if depth == 0 { return }
      default: break
      }
      index += 1
    }
  }
}

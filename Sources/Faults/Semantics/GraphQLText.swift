import Primitives

/// The operations in a text of GraphQL (its specification of October 2021, section 2), in the form in which patterns are
/// compared with them: `query`, `mutation` or `subscription`, one space, and the rest.
enum GraphQLText {
  /// Returns true if a pattern is about GraphQL: it begins with the word of an operation.
  static func isPattern(_ pattern: String) -> Bool {
    words.contains { pattern == $0 || pattern.hasPrefix($0 + " ") || pattern.hasPrefix($0 + "*") }
  }

  /// Returns the operations in a text, of which a server carries out one; none if it has none, or if its parts have no
  /// end.
  static func operations(in text: String) -> [[UInt8]] {
    var scanner = Scanner(bytes: Array(text.utf8))
    var operations: [[UInt8]] = []
    while let definition = scanner.nextDefinition() {
      let bytes = scanner.bytes[definition.range]
      if definition.word.isEmpty {
        operations.append(Array("query ".utf8) + bytes)
      } else if words.contains(definition.word) {
        let rest = Scanner.skippingIgnored(bytes.dropFirst(definition.word.utf8.count))
        operations.append(Array((definition.word + " ").utf8) + rest)
      }
    }
    return scanner.isAtEnd ? operations : []
  }

  private static let words = ["query", "mutation", "subscription"]

  private struct Scanner {
    let bytes: [UInt8]
    private var index = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { index == bytes.count }

    /// Skips a definition, and returns its range and its first word, which is empty for a selection without one. Returns
    /// nil at the end, and where no definition ends.
    mutating func nextDefinition() -> (word: String, range: Range<Int>)? {
      index = Self.skippingIgnored(bytes[index...]).startIndex
      guard !isAtEnd else { return nil }
      let start = index
      let word = bytes[start...].prefix { ByteSet.unreserved.contains($0) }
      guard let end = endOfBlock(from: start) else { return nil }
      index = Self.skippingIgnored(bytes[end...]).startIndex
      return (String(decoding: word, as: UTF8.self), start..<end)
    }

    /// Returns the end of the first block in braces. Braces in strings, comments and lists of variables are none of it.
    private func endOfBlock(from start: Int) -> Int? {
      var (position, braces, parentheses) = (start, 0, 0)
      while position < bytes.count {
        switch bytes[position] {
        case UInt8(ascii: "\""): position = endOfString(from: position)
        case UInt8(ascii: "#"): position = bytes[position...].firstIndex(where: Self.endsLine) ?? bytes.count
        case UInt8(ascii: "("): parentheses += 1
        case UInt8(ascii: ")"): parentheses -= 1
        case UInt8(ascii: "{") where parentheses == 0: braces += 1
        case UInt8(ascii: "}") where parentheses == 0:
          braces -= 1
          if braces <= 0 { return position + 1 }
        default: break
        }
        position += 1
      }
      return nil
    }

    /// Returns the position of the last quotation mark of a string, or of the text's end.
    private func endOfString(from start: Int) -> Int {
      let isBlock = bytes[start...].starts(with: Self.blockQuote)
      var position = start + (isBlock ? 3 : 1)
      while position < bytes.count {
        if isBlock {
          if bytes[position...].starts(with: Self.escapedBlockQuote) {
            position += 3
          } else if bytes[position...].starts(with: Self.blockQuote) {
            return position + 2
          }
        } else if bytes[position] == UInt8(ascii: "\\") {
          position += 1
        } else if bytes[position] == UInt8(ascii: "\"") || Self.endsLine(bytes[position]) {
          return position
        }
        position += 1
      }
      return bytes.count
    }

    /// Returns the text after white space, commas, a byte order mark and comments.
    static func skippingIgnored(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
      var rest = text
      while let byte = rest.first {
        if byte == UInt8(ascii: "#") {
          rest = rest.drop { !endsLine($0) }
        } else if Byte.isBlank(byte) || endsLine(byte) || byte == Byte.comma || 0xEF == byte && rest.starts(with: mark)
        {
          rest = rest.dropFirst(byte == 0xEF ? 3 : 1)
        } else {
          break
        }
      }
      return rest
    }

    private static func endsLine(_ byte: UInt8) -> Bool { byte == Byte.lineFeed || byte == Byte.carriageReturn }

    private static let blockQuote = Array("\"\"\"".utf8)
    private static let escapedBlockQuote = Array("\\\"\"\"".utf8)
    private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
  }
}

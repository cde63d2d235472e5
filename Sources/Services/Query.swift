import Primitives

/// The query of a target as ordered pairs, percent-decoded, with `+` read as a space (WHATWG URL, section 5.1).
///
/// It keeps the pairs where they lie, and decodes those that are read: most requests read few of them.
package struct Query: Sendable {
  package struct Pair: Sendable, Equatable {
    package let name: String
    package let value: String
  }

  /// A pair in the text, by offsets.
  private struct Part {
    let start: Int
    /// The offset of the first `=`, or the end.
    let equals: Int
    let end: Int
    /// True if decoding may change the name or the value.
    let isEncoded: Bool
  }

  /// A text with its pairs. A class, because most calls have no query, and are copied.
  private final class Content: Sendable {
    let text: ArraySlice<UInt8>
    let parts: [Part]

    init(_ text: ArraySlice<UInt8>, _ parts: [Part]) {
      self.text = text
      self.parts = parts
    }
  }

  /// Nil if there are no pairs.
  private let content: Content?

  private var parts: [Part] { content?.parts ?? [] }

  package init() { content = nil }

  /// Finds the pairs, in one pass.
  package init(parsing text: ArraySlice<UInt8>) {
    let parts = Self.parts(of: text.span)
    content = parts.isEmpty ? nil : Content(text, parts)
  }

  private static func parts(of bytes: Span<UInt8>) -> [Part] {
    var parts: [Part] = []
    var (start, equals, isEncoded) = (0, Int?.none, false)
    for index in 0..<bytes.count {
      switch bytes[index] {
      case UInt8(ascii: "&"):
        if start < index {
          parts.append(Part(start: start, equals: equals ?? index, end: index, isEncoded: isEncoded))
        }
        (start, equals, isEncoded) = (index + 1, nil, false)
      case UInt8(ascii: "="): if equals == nil { equals = index }
      // Bytes beyond ASCII may be invalid, and are then replaced.
      case UInt8(ascii: "%"), UInt8(ascii: "+"), 0x80...: isEncoded = true
      default: break
      }
    }
    if start < bytes.count {
      parts.append(Part(start: start, equals: equals ?? bytes.count, end: bytes.count, isEncoded: isEncoded))
    }
    return parts
  }

  package var isEmpty: Bool { content == nil }

  package var pairs: [Pair] { parts.map { Pair(name: name(of: $0), value: value(of: $0)) } }

  /// Returns the value of the first pair with this name; nil if there is none.
  package subscript(name: String) -> String? { parts.first { holds($0, name) }.map { value(of: $0) } }

  package func has(_ name: String) -> Bool { parts.contains { holds($0, name) } }

  private func holds(_ part: Part, _ name: String) -> Bool {
    if part.isEncoded { return self.name(of: part) == name }
    return part.equals - part.start == name.utf8.count
      && bytes(part.start..<part.equals).elementsEqual(name.utf8)
  }

  private func name(of part: Part) -> String { decoded(part.start..<part.equals, part.isEncoded) }

  private func value(of part: Part) -> String { decoded(min(part.equals + 1, part.end)..<part.end, part.isEncoded) }

  private func decoded(_ range: Range<Int>, _ isEncoded: Bool) -> String {
    let bytes = bytes(range)
    return isEncoded ? PercentCoding.decode(bytes, plusIsSpace: true) : String(decoding: bytes, as: UTF8.self)
  }

  private func bytes(_ range: Range<Int>) -> ArraySlice<UInt8> {
    guard let text = content?.text else { return [] }
    return text[text.startIndex + range.lowerBound..<text.startIndex + range.upperBound]
  }

  /// The names under which clients send the id of a stream's last event; `lastEventId` is that of the common polyfills.
  package static let lastEventNames = ["lastEventId", "Last-Event-ID"]

  package var lastEventID: String? { Self.lastEventNames.lazy.compactMap { self[$0] }.first }

  /// True if its evaluation may take more time than a turn of the loop has.
  package var isLong: Bool {
    content.map { $0.parts.count > Self.maximumPairs || $0.text.count > Self.maximumBytes } ?? false
  }

  /// The longest query that is evaluated on the loop.
  package static let maximumPairs = 8
  package static let maximumBytes = 512
}

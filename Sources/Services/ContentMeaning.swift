import Contract
package import JSON
import Primitives

/// The meaning of a request's content, however it is encoded: clients encode again before they retry.
///
/// The one notion of equal content, for `Idempotency-Key` and for the report: JSON by value, forms and queries as sets of
/// pairs, parts of a multipart content without their boundary, lines of JSON by value, and gzip content by the
/// checksum and the length of what it holds (RFC 1952 section 2.3.1). Long content is compared by its bytes, without its
/// boundary.
package struct ContentMeaning: Sendable {
  /// Longer content is compared by its bytes where it would be parsed for each attempt.
  package static let maximumLength = 64 << 10

  /// The text that all contents of the same meaning share.
  package let text: [UInt8]
  /// The content, if it is JSON.
  package let json: JSONValue?

  /// - Parameters:
  ///   - type: The `Content-Type` field as sent.
  ///   - coding: The `Content-Encoding` field as sent.
  ///   - name: The name of a form's pair that is left out.
  package init(
    _ content: ArraySlice<UInt8>, type: ArraySlice<UInt8>? = nil, coding: ArraySlice<UInt8>? = nil,
    without name: String? = nil
  ) {
    if coding != nil {
      (text, json) = (Self.compressed(content) ?? Array(content), nil)
      return
    }
    // Some clients send JSON with the type of a form.
    json = try? JSONValue(parsing: content)
    if let json {
      text = json.meaning
      return
    }
    switch type.map({ MediaType.essence(of: $0) }) {
    case RequestBody.formType: text = Self.pairs(content, without: name)
    case "application/x-ndjson", "application/ndjson", "application/jsonl": text = Self.lines(content)
    case let essence? where essence.hasPrefix("multipart/"):
      text = Array(Self.parts(content, type: type).joined(separator: [0]))
    default: text = Array(content)
    }
  }

  /// The pairs of a query or a form, as a set.
  ///
  /// - Parameter name: The name of a pair that is left out.
  package static func pairs(_ text: ArraySlice<UInt8>, without name: String? = nil) -> [UInt8] {
    let pairs = Set(Query(parsing: text).pairs.filter { $0.name != name }.map { [$0.name, $0.value] })
    let ordered = pairs.sorted { $0.lexicographicallyPrecedes($1) }
    return JSONValue.array(ordered.map { .array($0.map(JSONValue.string)) }).bytes()
  }

  private static func lines(_ content: ArraySlice<UInt8>) -> [UInt8] {
    let lines = content.split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
    return Array(lines.map { (try? JSONValue(parsing: $0))?.meaning ?? Array($0) }.joined(separator: [10]))
  }

  /// Returns the parts between the delimiters of a multipart content; the whole content if its type names none.
  private static func parts(_ content: ArraySlice<UInt8>, type: ArraySlice<UInt8>?) -> [ArraySlice<UInt8>] {
    guard let delimiter = type.flatMap(Self.delimiter(in:)) else { return [content] }
    var parts: [ArraySlice<UInt8>] = []
    var (part, line) = (content.startIndex, content.startIndex)
    while line < content.endIndex {
      if content[line...].starts(with: delimiter) {
        parts.append(content[part..<line])
        part = line + delimiter.count
      }
      line = content[line...].firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? content.endIndex
    }
    return parts + [content[part...]]
  }

  /// Returns the delimiter that begins a line between two parts of a multipart content (RFC 2046 section 5.1.1); nil if the
  /// type names no boundary.
  package static func delimiter(in type: ArraySlice<UInt8>) -> [UInt8]? {
    guard MediaType.essence(of: type).hasPrefix("multipart/") else { return nil }
    let name = "boundary="
    for parameter in type.split(separator: UInt8(ascii: ";")).dropFirst() {
      let text = parameter.drop(while: isBlank)
      guard String(decoding: text.prefix(name.utf8.count), as: UTF8.self).lowercased() == name else { continue }
      let value = text.dropFirst(name.utf8.count)
      let isQuoted = value.first == UInt8(ascii: "\"")
      let boundary = isQuoted ? value.dropFirst().prefix { $0 != UInt8(ascii: "\"") } : value.prefix { !isBlank($0) }
      return boundary.isEmpty ? nil : Array("--".utf8) + boundary
    }
    return nil
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }

  /// Returns the checksum and the length at the end of a gzip member; nil if it is none.
  private static func compressed(_ content: ArraySlice<UInt8>) -> [UInt8]? {
    guard content.count >= 18, content.starts(with: [0x1F, 0x8B]) else { return nil }
    return Array(content.suffix(8))
  }
}

/// An error in a JSON file: its line and column, and what is wrong, with a hint if it is a common mistake.
package struct JSONFileError: Error, Equatable, CustomStringConvertible {
  package let position: JSONLocator.Position
  package let detail: String

  package var description: String { "\(position): \(detail)" }
}

extension JSONValue {
  /// Parses the content of a file: one JSON text (RFC 8259), which a byte order mark may precede, as some editors write
  /// it. What is sent over a network has none.
  ///
  /// - Parameter isLenient: True for a recording, which quotes whatever was sent: half surrogate pairs, bytes that are
  ///   not UTF-8, control characters and repeated names are no errors.
  package init(file bytes: [UInt8], asRecording isLenient: Bool = false) throws(JSONFileError) {
    let text = bytes.withoutByteOrderMark
    var parser = JSONParser(bytes: text)
    parser.isLenient = isLenient
    do throws(JSONSyntaxError) {
      self = try parser.document()
    } catch {
      throw JSONFileError(error, in: text)
    }
  }
}

extension JSONFileError {
  /// - Parameter bytes: The text that was parsed.
  package init(_ error: JSONSyntaxError, in bytes: ArraySlice<UInt8>) {
    let hint = JSONHint.hint(on: error, in: bytes).flatMap { error.detail.hasSuffix($0) ? nil : $0 }
    self.init(
      position: JSONLocator.position(of: error.offset, in: Array(bytes)),
      detail: error.detail + (hint.map { "; \($0)" } ?? ""))
  }
}

extension [UInt8] {
  /// The bytes after a byte order mark in UTF-8, or all of them.
  package var withoutByteOrderMark: ArraySlice<UInt8> { starts(with: [0xEF, 0xBB, 0xBF]) ? dropFirst(3) : self[...] }
}

/// Hints on mistakes that people make in files that should be JSON.
package enum JSONHint {
  /// Returns what a person has probably done, and what to do about it; nil if that is not known.
  package static func hint(on error: JSONSyntaxError, in bytes: ArraySlice<UInt8>) -> String? {
    if let format = foreignFormat(bytes) { return format }
    if error.offset <= 1, looksLikeYAML(bytes) { return "the text looks like YAML; write it as JSON" }
    let rest = bytes.dropFirst(error.offset)
    guard let byte = rest.first else {
      return bytes.allSatisfy(isBlank) ? nil : "the file may have been cut off"
    }
    if rest.starts(with: "//".utf8) || rest.starts(with: "/*".utf8) || byte == UInt8(ascii: "#") {
      return "JSON has no comments"
    }
    switch byte {
    case UInt8(ascii: "'"), UInt8(ascii: "`"): return "texts stand in double quotes"
    case UInt8(ascii: ";"), UInt8(ascii: "="), UInt8(ascii: ","): return nil
    case UInt8(ascii: "\""), UInt8(ascii: "{"), UInt8(ascii: "["):
      return error.detail.hasPrefix("expected ,") ? "a comma is missing before this line or value" : nil
    default: return word(rest)
    }
  }

  /// True if the first line that is no comment is one of YAML: `name:`, an element of a list or the mark of a document.
  private static func looksLikeYAML(_ bytes: ArraySlice<UInt8>) -> Bool {
    let lines = bytes.split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
    // A comment alone says nothing: scripts have the same.
    let first = lines.first { $0.first != UInt8(ascii: "#") && !$0.allSatisfy(isBlank) }
    guard let line = first else { return false }
    if ["---", "- "].contains(where: { line.starts(with: $0.utf8) }) { return true }
    let word = line.prefix { isLetter($0) || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "-") }
    let rest = line[word.endIndex...]
    return !word.isEmpty && rest.first == UInt8(ascii: ":") && rest.dropFirst().first.map { $0 == 0x20 } ?? true
  }

  /// Returns the hint on a bare word.
  private static func word(_ rest: ArraySlice<UInt8>) -> String? {
    let text = String(decoding: rest.prefix { $0 > 0x20 && !",:]}\"".utf8.contains($0) }.prefix(24), as: UTF8.self)
    switch text {
    case "True", "False", "TRUE", "FALSE": return "write \(text.lowercased())"
    case "None", "nil", "NULL", "Null", "undefined": return "write null"
    case "NaN", "Infinity", "-Infinity", "inf", "-inf": return "JSON has no \(text)"
    default: break
    }
    if text.hasPrefix("+") || text.hasPrefix(".") { return "a number begins with a digit or with - and a digit" }
    return text.utf8.first.map(isLetter) == true ? "\(text) needs double quotes" : nil
  }

  /// Returns the name of the format if the file is no JSON at all.
  private static func foreignFormat(_ bytes: ArraySlice<UInt8>) -> String? {
    let start = Array(bytes.prefix(4))
    if start.starts(with: [0xFF, 0xFE]) || start.starts(with: [0xFE, 0xFF]) || start.prefix(2).contains(0) {
      return "the file is not UTF-8; it may be UTF-16"
    }
    if start.starts(with: [0x1F, 0x8B]) || start.starts(with: [0x50, 0x4B, 0x03, 0x04])
      || start.starts(with: [0x78, 0x9C])
      || start.starts(with: [0x78, 0xDA]) || start.starts(with: [0x28, 0xB5, 0x2F, 0xFD])
    {
      return "the file is compressed; unpack it first"
    }
    if start.starts(with: "#!".utf8) { return "the file is a script" }
    guard let first = bytes.first(where: { !isBlank($0) }) else { return nil }
    return first == UInt8(ascii: "<") ? "the file is HTML or XML" : nil
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }
}

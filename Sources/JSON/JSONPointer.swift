/// A position in a JSON document, as RFC 6901 writes it: `/rooms/0/name`, or the empty text for the whole document.
package struct JSONPointer: Sendable, Hashable, CustomStringConvertible {
  package let description: String

  /// Creates a pointer from its text, without checks.
  package init(written text: String) { description = text }

  private init(description: String) { self.description = description }

  package static let root = JSONPointer(description: "")

  /// Returns the pointer to a member. A name of more than 100 characters is truncated: pointers are part of messages,
  /// and a name may be as long as a whole request.
  package static func / (pointer: JSONPointer, name: String) -> JSONPointer {
    let name = name.abbreviated(to: 100)
    // Almost no name has a character that must be escaped.
    guard name.utf8.contains(where: { $0 == UInt8(ascii: "~") || $0 == UInt8(ascii: "/") }) else {
      return JSONPointer(description: pointer.description + "/" + name)
    }
    let escaped = name.split(separator: "~", omittingEmptySubsequences: false).joined(separator: "~0")
      .split(separator: "/", omittingEmptySubsequences: false).joined(separator: "~1")
    return JSONPointer(description: pointer.description + "/" + escaped)
  }

  package static func / (pointer: JSONPointer, inner: JSONPointer) -> JSONPointer {
    JSONPointer(description: pointer.description + inner.description)
  }

  package static func / (pointer: JSONPointer, index: Int) -> JSONPointer {
    JSONPointer(description: pointer.description + "/\(index)")
  }
}

/// One violation of a schema in a document, and its position.
package struct ValidationError: Error, Sendable, Equatable {
  package let pointer: JSONPointer
  /// The expectation that was not met, as words that end a sentence.
  package let detail: String

  package init(_ pointer: JSONPointer, _ detail: String) {
    self.pointer = pointer
    self.detail = detail
  }

  /// The same error, with the expected word that was probably meant if a word is misspelt.
  package var advised: ValidationError {
    guard let list = detail.firstRange(of: "expected one of "), detail.firstRange(of: "did you mean") == nil else {
      return self
    }
    let rest = detail[list.upperBound...]
    let found = rest.firstRange(of: ", found ")
    let known = rest[..<(found?.lowerBound ?? rest.endIndex)].split(separator: ", ").map(String.init)
    let name = pointer.description.split(separator: "/").last.map(String.init)
    let word = found.map { rest[$0.upperBound...].filter { $0 != "\"" } } ?? name
    return ValidationError(pointer, detail + (word.map { Spelling.suggestion(for: $0, among: known) } ?? ""))
  }
}

extension String {
  /// Returns the text, or its first characters and an ellipsis if it is longer.
  package func abbreviated(to count: Int) -> String {
    // A text of at most `count` bytes has at most `count` characters, so most texts need no counting.
    guard utf8.count > count,
      let end = unicodeScalars.index(unicodeScalars.startIndex, offsetBy: count, limitedBy: unicodeScalars.endIndex),
      end < unicodeScalars.endIndex
    else { return self }
    return String(unicodeScalars[..<end]) + "…"
  }
}

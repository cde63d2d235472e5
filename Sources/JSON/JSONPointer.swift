/// A place in a JSON document, as RFC 6901 writes it: `/rooms/0/name`, or the empty text for the whole.
package struct JSONPointer: Sendable, Hashable, CustomStringConvertible {
  package let description: String

  /// A pointer as its text was written.
  package init(written text: String) { description = text }

  private init(description: String) { self.description = description }

  package static let root = JSONPointer(description: "")

  /// The place of a member. A name of more than 100 characters is cut: a pointer is part of a message, and a name may
  /// be as long as a whole request.
  package static func / (pointer: JSONPointer, name: String) -> JSONPointer {
    let name = name.abbreviated(to: 100)
    // Hardly any name has a character that must be escaped.
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

/// One thing that a document should not say, and where it says so.
package struct Violation: Error, Sendable, Equatable {
  package let pointer: JSONPointer
  /// What was expected there, in words that end a sentence.
  package let detail: String

  package init(_ pointer: JSONPointer, _ detail: String) {
    self.pointer = pointer
    self.detail = detail
  }
}

extension String {
  /// The text, or its first characters and an ellipsis where it is longer.
  package func abbreviated(to count: Int) -> String {
    // A character has one byte at least, so that most texts need not be counted.
    guard utf8.count > count,
      let end = unicodeScalars.index(unicodeScalars.startIndex, offsetBy: count, limitedBy: unicodeScalars.endIndex),
      end < unicodeScalars.endIndex
    else { return self }
    return String(unicodeScalars[..<end]) + "…"
  }
}

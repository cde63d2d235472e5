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

  /// Returns the pointer from a value to this one within it; nil if this one is elsewhere.
  package func rest(below outer: JSONPointer) -> JSONPointer? {
    guard description.hasPrefix(outer.description) else { return nil }
    let rest = description.dropFirst(outer.description.count)
    return rest.isEmpty || rest.hasPrefix("/") ? JSONPointer(description: String(rest)) : nil
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

package import Primitives

/// A complete request, as ranges into its received bytes (RFC 9112 2.1). It is moved, never copied.
package struct Request: ~Copyable, Sendable {
  /// The bytes to which all ranges refer. They are the parser's own storage: holding a request for long also holds the
  /// bytes around it and makes the parser copy them.
  package let bytes: [UInt8]
  /// The head, from the method through the empty line.
  package let head: Range<Int>
  package let method: Range<Int>
  /// The method, if it is one of RFC 9110 9.3 or PATCH.
  package let knownMethod: Method?
  /// The target as sent.
  package let target: Range<Int>
  package let targetForm: RequestTarget.Form
  /// The target's path as sent; see `RequestTarget`.
  package let path: Range<Int>
  /// The bytes after the target's first `?`.
  package let query: Range<Int>?
  package let version: Version
  /// The effective authority (RFC 9112 3.3); nil only in HTTP/1.0 without a Host field.
  package let host: Range<Int>?
  package let fields: [Field]
  /// The number of its field section: requests of a connection with equal numbers have equal field lines. 0 if the fields
  /// were not reached, which equals no other.
  package let section: Int
  /// The known names among the fields.
  package let knownFields: FieldName.Names
  /// The content; decoded if it was sent in chunks.
  package let body: Range<Int>
  /// True if the rest of the content comes in parts.
  package let isPartial: Bool
  /// The trailer fields, without those that would steer the request (RFC 9110 6.5.1).
  package let trailers: [Field]
  /// True if the connection may persist after the response (RFC 9112 9.3).
  package let persists: Bool
}

extension Request {
  /// An empty request, of which not even the method is known.
  package static var unknown: Request {
    Request(
      bytes: [], head: 0..<0, method: 0..<0, knownMethod: nil, target: 0..<0, targetForm: .origin,
      path: 0..<0,
      query: nil, version: .http11, host: nil, fields: [], section: 0, knownFields: [], body: 0..<0,
      isPartial: false, trailers: [],
      persists: false)
  }

  /// Returns true if there is a field of this name.
  package func has(_ known: FieldName) -> Bool { knownFields.contains(known) }

  /// Returns the first field of this name.
  package func first(_ known: FieldName) -> Field? {
    guard has(known) else { return nil }
    for field in fields where field.known == known { return field }
    return nil
  }

  /// Returns the value of the only field of this name; nil if there is none, or if there are several.
  package func only(_ known: FieldName) -> Range<Int>? {
    var value: Range<Int>?
    for field in fields where field.known == known {
      guard value == nil else { return nil }
      value = field.value
    }
    return value
  }

  /// Returns the values of all fields of this name, in order.
  package func values(of known: FieldName) -> [Range<Int>] {
    var values: [Range<Int>] = []
    for field in fields where field.known == known { values.append(field.value) }
    return values
  }

  /// Returns the value of the first field of this name, ignoring the case of letters (RFC 9110 5.1).
  package func value(named name: String) -> Range<Int>? {
    for field in fields where holds(field.name, name, ignoringCase: true) { return field.value }
    return nil
  }

  /// Returns the values of all fields of this name, combined into one (RFC 9110 5.2).
  package func combined(_ known: FieldName) -> String? {
    guard has(known) else { return nil }
    return values(of: known).map { text($0) }.joined(separator: ", ")
  }

  /// Returns the values of all fields of a name that need not be a known one, combined into one.
  package func combined(_ name: String) -> String? {
    var combined: String?
    for field in fields where holds(field.name, name, ignoringCase: true) {
      let value = text(field.value)
      combined = combined.map { $0 + ", " + value } ?? value
    }
    return combined
  }

  /// Returns the text in this range; bytes that are not UTF-8 are replaced.
  package func text(_ range: Range<Int>) -> String {
    String(decoding: bytes[range], as: UTF8.self)
  }

  /// Returns true if the range holds exactly this text.
  package func holds(_ range: Range<Int>, _ text: String, ignoringCase: Bool = false) -> Bool {
    var index = range.lowerBound
    for byte in text.utf8 {
      guard index < range.upperBound else { return false }
      let isSame =
        ignoringCase ? Byte.lowercased(bytes[index]) == Byte.lowercased(byte) : bytes[index] == byte
      guard isSame else { return false }
      index += 1
    }
    return index == range.upperBound
  }

  /// A hash of the head as received, the decoded content and the trailer fields. It identifies requests that a client's
  /// transport silently sent again.
  ///
  /// Chunk boundaries do not count, because they have no meaning (RFC 9112 7.1). The hash withstands accidents, not
  /// malice.
  package var fingerprint: UInt64 {
    var hash = Fingerprint()
    hash.add(bytes, head)
    hash.add(bytes, body)
    for field in trailers {
      hash.add(bytes, field.name)
      hash.add(bytes, field.value)
    }
    return hash.value
  }
}

/// The HTTP version of a request; a minor version above 1 is treated as 1.1 (RFC 9110 2.5).
package enum Version: Sendable, Equatable {
  case http10, http11
}

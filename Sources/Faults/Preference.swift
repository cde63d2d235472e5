/// One preference of a `Prefer` field: `fault=stall; at="1/2"`.
struct Preference: Equatable {
  /// The name in lower case, because names of preferences are case-insensitive.
  let name: String
  let value: String
  /// The preference as it was sent, parameters included.
  let source: String
  /// The parameters by name in lower case; if a name is repeated, the first counts.
  private(set) var parameters: [String: String]

  /// The text in `Preference-Applied`: without parameters (RFC 7240 section 3).
  var text: String { value.isEmpty ? name : "\(name)=\(value)" }

  /// One element of the field, with its preference if it is well-formed.
  struct Element {
    let text: String
    let preference: Preference?

    /// The name in lower case, even if the element is malformed.
    var name: String {
      preference?.name
        ?? Preference.text(
          Preference.trimmed(Array(text.utf8).prefix { $0 != Delimiter.equals && $0 != Delimiter.semicolon })
        )
        .lowercased()
    }
  }

  private typealias Bytes = ArraySlice<UInt8>

  private enum Delimiter {
    static let quote = UInt8(ascii: "\"")
    static let backslash = UInt8(ascii: "\\")
    static let equals = UInt8(ascii: "=")
    static let semicolon = UInt8(ascii: ";")
    static let comma = UInt8(ascii: ",")
  }

  /// Returns the elements of the field's combined value, in their order.
  static func list(_ field: String) -> [Element] {
    pieces(Array(field.utf8)[...], between: Delimiter.comma).map { Element(text: text($0), preference: Preference($0)) }
  }

  private init?(_ piece: Bytes) {
    let parts = Self.pieces(piece, between: Delimiter.semicolon).map(Self.pair)
    guard let first = parts.first, let (name, value) = first else { return nil }
    self.name = name
    self.value = value
    source = Self.text(piece)
    parameters = [:]
    for part in parts.dropFirst() {
      guard let (name, value) = part else { return nil }
      if parameters[name] == nil { parameters[name] = value }
    }
  }

  /// Splits at a separator outside quoted strings; the pieces are trimmed, and empty ones are ignored, as in lists.
  private static func pieces(_ bytes: Bytes, between separator: UInt8) -> [Bytes] {
    var pieces: [Bytes] = []
    var start = bytes.startIndex
    var isQuoted = false
    var isEscaped = false
    for index in bytes.indices {
      let byte = bytes[index]
      if byte == separator, !isQuoted {
        pieces.append(trimmed(bytes[start..<index]))
        start = index + 1
        continue
      }
      if byte == Delimiter.quote, !isEscaped { isQuoted.toggle() }
      isEscaped = isQuoted && byte == Delimiter.backslash && !isEscaped
    }
    pieces.append(trimmed(bytes[start...]))
    return pieces.filter { !$0.isEmpty }
  }

  /// Parses `token [ "=" ( token / quoted-string ) ]`; the name becomes lower case.
  private static func pair(_ piece: Bytes) -> (name: String, value: String)? {
    let equals = piece.firstIndex(of: Delimiter.equals)
    let name = text(trimmed(piece[..<(equals ?? piece.endIndex)]))
    guard Match.isToken(name) else { return nil }
    guard let equals else { return (name.lowercased(), "") }
    return word(trimmed(piece[(equals + 1)...])).map { (name.lowercased(), $0) }
  }

  private static func word(_ bytes: Bytes) -> String? {
    guard bytes.first == Delimiter.quote else {
      let token = text(bytes)
      return Match.isToken(token) ? token : nil
    }
    guard bytes.count > 1, bytes.last == Delimiter.quote else { return nil }
    var value: [UInt8] = []
    var isEscaped = false
    for byte in bytes.dropFirst().dropLast() {
      if isEscaped || byte != Delimiter.backslash {
        guard isEscaped || byte != Delimiter.quote else { return nil }
        value.append(byte)
        isEscaped = false
      } else {
        isEscaped = true
      }
    }
    return isEscaped ? nil : text(value[...])
  }

  private static func trimmed(_ bytes: Bytes) -> Bytes {
    let isSpace: (UInt8) -> Bool = { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
    let start = bytes.firstIndex { !isSpace($0) } ?? bytes.endIndex
    let end = bytes.lastIndex { !isSpace($0) }.map { $0 + 1 } ?? start
    return bytes[start..<end]
  }

  private static func text(_ bytes: Bytes) -> String { String(decoding: bytes, as: UTF8.self) }
}

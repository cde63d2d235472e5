/// One preference of a `Prefer` field: `fault=stall; at="1/2"`.
struct Preference: Equatable {
  /// The name in lower case, because names of preferences are case-insensitive.
  let name: String
  let value: String
  /// The preference as it was sent, parameters included.
  let source: String
  /// The parameters by name in lower case; of several with one name, the first.
  private(set) var parameters: [String: String]

  /// The text in `Preference-Applied`: without parameters (RFC 7240 section 3).
  var text: String { value.isEmpty ? name : "\(name)=\(value)" }

  /// One element of the field, with its preference if it is well-formed.
  struct Element {
    let text: String
    let preference: Preference?

    /// The name in lower case, even if the element is malformed.
    var name: String {
      preference?.name ?? Preference.trimmed(String(text.prefix { $0 != "=" && $0 != ";" })).lowercased()
    }
  }

  /// Returns the elements of the field's combined value, in their order.
  static func list(_ field: String) -> [Element] {
    pieces(field, between: ",").map { Element(text: trimmed($0), preference: Preference($0)) }
  }

  private init?(_ piece: String) {
    let parts = Self.pieces(piece, between: ";").map(Self.pair)
    guard let first = parts.first, let (name, value) = first else { return nil }
    self.name = name
    self.value = value
    source = Self.trimmed(piece)
    parameters = [:]
    for part in parts.dropFirst() {
      guard let (name, value) = part else { return nil }
      if parameters[name] == nil { parameters[name] = value }
    }
  }

  /// Splits at a separator outside quoted strings; empty pieces are ignored, as in lists.
  private static func pieces(_ text: String, between separator: Character) -> [String] {
    var pieces = [""]
    var isQuoted = false
    var isEscaped = false
    for character in text {
      if character == separator, !isQuoted {
        pieces.append("")
        continue
      }
      if character == "\"", !isEscaped { isQuoted.toggle() }
      isEscaped = isQuoted && character == "\\" && !isEscaped
      pieces[pieces.count - 1].append(character)
    }
    return pieces.filter { !trimmed($0).isEmpty }
  }

  /// Parses `token [ "=" ( token / quoted-string ) ]`; the name becomes lower case.
  private static func pair(_ piece: String) -> (name: String, value: String)? {
    let parts = piece.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard let name = parts.first.map({ trimmed(String($0)) }), Match.isToken(name) else { return nil }
    guard parts.count == 2 else { return (name.lowercased(), "") }
    return word(trimmed(String(parts[1]))).map { (name.lowercased(), $0) }
  }

  private static func word(_ text: String) -> String? {
    guard text.hasPrefix("\"") else { return Match.isToken(text) ? text : nil }
    guard text.count > 1, text.hasSuffix("\"") else { return nil }
    var value = ""
    var isEscaped = false
    for character in text.dropFirst().dropLast() {
      if isEscaped || character != "\\" {
        guard isEscaped || character != "\"" else { return nil }
        value.append(character)
        isEscaped = false
      } else {
        isEscaped = true
      }
    }
    return isEscaped ? nil : value
  }

  private static func trimmed(_ text: String) -> String {
    let isSpace: (Character) -> Bool = { $0 == " " || $0 == "\t" }
    let start = text.drop(while: isSpace)
    return String(start.reversed().drop(while: isSpace).reversed())
  }
}

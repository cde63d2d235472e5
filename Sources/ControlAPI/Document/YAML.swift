package import JSON

/// Writes ordered JSON values as YAML in block style. YAML 1.1 and 1.2 read the text alike, and equal values give equal
/// texts.
package struct YAML {
  private var lines: [String] = []

  /// Returns the text of `value`, with a line end at its end.
  package static func text(_ value: JSONValue) -> String {
    var yaml = YAML()
    yaml.write(value, after: "", indent: 0)
    return yaml.lines.joined(separator: "\n") + "\n"
  }

  /// Writes a value.
  ///
  /// - Parameters:
  ///   - lead: The text before the value on its first line: indentation, a key, a dash.
  ///   - indent: The indentation of the following lines, if any.
  private mutating func write(_ value: JSONValue, after lead: String, indent: Int) {
    switch value {
    case .object(let object) where !object.members.isEmpty:
      var start = opened(lead) ?? Self.blanks(indent)
      for member in object.members {
        write(member.value, after: start + Self.scalar(member.name) + ":", indent: indent + 2)
        start = Self.blanks(indent)
      }
    case .array(let elements) where !elements.isEmpty:
      var start = opened(lead) ?? Self.blanks(indent)
      for element in elements {
        write(element, after: start + "-", indent: indent + 2)
        start = Self.blanks(indent)
      }
    case .string(let text) where Self.isBlock(text):
      lines.append(Self.joined(lead, text.hasSuffix("\n") ? "|" : "|-"))
      let content = text.hasSuffix("\n") ? text.dropLast() : text[...]
      for line in content.split(separator: "\n", omittingEmptySubsequences: false) {
        lines.append(line.isEmpty ? "" : Self.blanks(max(indent, 2)) + line)
      }
    default:
      lines.append(Self.joined(lead, Self.flow(value)))
    }
  }

  /// Returns the start of a collection's first entry: after a dash it stays on the line, after a key it begins a new
  /// line.
  private mutating func opened(_ lead: String) -> String? {
    if lead.hasSuffix("-") { return lead + " " }
    if !lead.isEmpty { lines.append(lead) }
    return nil
  }

  private static func joined(_ lead: String, _ text: String) -> String { lead.isEmpty ? text : lead + " " + text }

  private static func blanks(_ count: Int) -> String { String(repeating: " ", count: count) }

  private static func flow(_ value: JSONValue) -> String {
    switch value {
    case .number(let number): Self.number(number.text)
    case .string(let text): scalar(text)
    case .array: "[]"
    case .object: "{}"
    case .null, .bool: value.text
    }
  }

  /// Returns a number that YAML 1.1 reads as a number: it takes `1e9` for a string, because it requires a point and a
  /// sign.
  private static func number(_ text: String) -> String {
    let parts = text.split(maxSplits: 1) { $0 == "e" || $0 == "E" }
    guard let mantissa = parts.first, let exponent = parts.last, parts.count == 2 else { return text }
    let sign = exponent.hasPrefix("-") || exponent.hasPrefix("+") ? "" : "+"
    return mantissa + (mantissa.contains(".") ? "" : ".0") + "e" + sign + exponent
  }
}

extension YAML {
  /// Returns true if a literal block can represent this text of several lines unchanged.
  private static func isBlock(_ text: String) -> Bool {
    guard text.contains("\n"), !text.hasPrefix("\n"), !text.hasPrefix(" ") else { return false }
    guard !text.hasSuffix("\n\n"), !text.hasSuffix(" ") else { return false }
    return text.unicodeScalars.allSatisfy { $0 == "\n" || isPrintable($0) } && !text.contains(" \n")
  }

  /// Returns a text on one line: plain if it is unambiguous, otherwise quoted.
  private static func scalar(_ text: String) -> String {
    if isPlain(text) { return text }
    let isASCII = text.unicodeScalars.allSatisfy { $0.isASCII && isPrintable($0) }
    guard isASCII else { return doubleQuoted(text) }
    return "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''") + "'"
  }

  private static func isPlain(_ text: String) -> Bool {
    guard let first = text.unicodeScalars.first, isLetter(first) || first == "/" || first == "$" else { return false }
    if isReserved(text) || text.hasSuffix(" ") || text.hasSuffix(":") { return false }
    guard !text.contains(": "), !text.contains(" #") else { return false }
    return text.unicodeScalars.allSatisfy { $0.isASCII && isPrintable($0) }
  }

  /// Returns true for the words that some version of YAML reads as null or a boolean.
  private static func isReserved(_ text: String) -> Bool {
    ["null", "true", "false", "yes", "no", "on", "off", "y", "n"].contains(text.lowercased())
  }

  private static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
    ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar)
  }

  /// Returns true if the character may stand unescaped: no control characters, no Unicode line ends, no invisible
  /// characters.
  private static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x20...0x7E: true
    case 0...0x9F, 0x2028, 0x2029, 0xFEFF, 0xFFFE, 0xFFFF: false
    default: scalar.value <= 0xFFFF
    }
  }

  private static func doubleQuoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": quoted += "\\" + String(scalar)
      case "\n": quoted += "\\n"
      case "\t": quoted += "\\t"
      case "\r": quoted += "\\r"
      case _ where isPrintable(scalar): quoted.unicodeScalars.append(scalar)
      default: quoted += escaped(scalar.value)
      }
    }
    return quoted + "\""
  }

  private static func escaped(_ code: UInt32) -> String {
    let (letter, width) = code <= 0xFF ? ("x", 2) : code <= 0xFFFF ? ("u", 4) : ("U", 8)
    let digits = String(code, radix: 16, uppercase: true)
    return "\\" + letter + String(repeating: "0", count: width - digits.utf8.count) + digits
  }
}

extension String {
  /// The text with escapes instead of all characters that control a terminal, end a line, are invisible, or change the
  /// direction of text: `\n`, `\u{1B}`, `\u{202E}`.
  ///
  /// Messages quote names and values of files and requests, which may contain anything. Printable text is unchanged, so
  /// that it does no harm to escape a text twice.
  package var printable: String {
    escaped { scalar in
      switch scalar {
      case "\n": "\\n"
      case "\r": "\\r"
      case "\t": "\\t"
      default: "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
      }
    }
  }

  /// The same for a line of JSON, in which JSON's own escapes leave the values as they are.
  package var printableJSON: String {
    escaped { scalar in
      UTF16.encode(scalar)?.reduce("") { text, unit in
        let digits = String(unit, radix: 16)
        return text + "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      } ?? ""
    }
  }

  private func escaped(_ escape: (Unicode.Scalar) -> String) -> String {
    // Most texts are printable ASCII.
    guard utf8.contains(where: { $0 < 0x20 || $0 >= 0x7F }) else { return self }
    var escaped = ""
    for scalar in unicodeScalars {
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator: escaped += escape(scalar)
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}

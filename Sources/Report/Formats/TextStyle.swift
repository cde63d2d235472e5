/// The form of a text for people: for a file, or for a terminal.
package struct TextStyle: Sendable {
  /// True if escape sequences colour the text.
  package let isColored: Bool
  /// The maximum length of a line, in characters.
  package let width: Int

  /// - Parameter width: A value below 60 counts as 60: narrower columns would break words.
  package init(isColored: Bool = false, width: Int = 100) {
    self.isColored = isColored
    self.width = max(60, width)
  }

  /// Returns a text in a color, if the style has colors.
  ///
  /// - Parameter color: An escape sequence; empty for none.
  package func colored(_ text: String, _ color: String) -> String {
    isColored && !color.isEmpty ? color + text + "\u{1B}[0m" : text
  }

  /// Breaks a text between words into lines, and a word that is longer than a line.
  ///
  /// - Parameter indent: The column at which the text begins; the spaces before the first line are the caller's.
  package func wrapped(_ text: String, at indent: Int = 0) -> String {
    let length = width - indent
    var lines: [String] = []
    var line = ""
    for word in text.split(separator: " ") {
      var word = word
      if !line.isEmpty, line.count + 1 + word.count > length {
        lines.append(line)
        line = ""
      }
      while word.count > length {
        lines.append(String(word.prefix(length)))
        word = word.dropFirst(length)
      }
      line += (line.isEmpty ? "" : " ") + word
    }
    if !line.isEmpty { lines.append(line) }
    return lines.joined(separator: "\n" + String(repeating: " ", count: indent))
  }
}

/// Text for a POSIX shell.
package enum ShellText {
  /// Returns a word that a shell reads as the text, whatever its characters.
  package static func quoted(_ text: String) -> String { "'" + text.replacing("'", with: "'\\''") + "'" }

  /// Returns a command line, ready to paste: words that a shell would read in another way are quoted.
  package static func line(_ words: [String]) -> String {
    words.map { word in
      !word.isEmpty && word.utf8.allSatisfy { plain.contains($0) } ? word : quoted(word)
    }.joined(separator: " ")
  }

  private static let plain = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:=@%+,".utf8)
}

import Primitives

/// A shell for which there are completions.
enum Shell: String, CaseIterable, Sendable {
  case bash, zsh, fish

  /// The completion script, generated from the declarations of commands and options.
  var completions: String {
    let lines =
      switch self {
      case .bash: BashCompletions.lines
      case .zsh: ZshCompletions.lines
      case .fish: FishCompletions.lines
      }
    return lines.joined(separator: "\n") + "\n"
  }

  /// Returns a quoted word.
  static func quoted(_ text: String) -> String { "'" + text.replacing("'", with: "'\\''") + "'" }

  /// Returns a command line, ready to paste: words that a shell would read in another way are quoted.
  static func line(_ words: [String]) -> String {
    words.map { word in
      !word.isEmpty && word.utf8.allSatisfy { plain.contains($0) } ? word : quoted(word)
    }.joined(separator: " ")
  }

  private static let plain = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:=@%+,".utf8)
}

extension Flag {
  /// Every option once, even if several commands have it: if options of the same name have choices, they have the same.
  static var distinct: [Flag] {
    Command.all.flatMap(\.flags).distinct(by: \.name)
  }

  var takesFile: Bool { value?.contains("FILE") == true }
  var takesDirectory: Bool { value == "DIR" }
}

extension Command {
  /// True if its operands are files.
  var takesFiles: Bool { usage.contains("FILE …") }
}

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
}

extension Flag {
  var takesFile: Bool { value?.contains("FILE") == true }
  var takesDirectory: Bool { value == "DIR" }
}

extension Command {
  /// True if its operands are files.
  var takesFiles: Bool { usage.contains("FILE …") }
}

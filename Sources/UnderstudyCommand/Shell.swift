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

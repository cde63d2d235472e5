/// A shell that can complete this program's command line.
enum Shell: String, CaseIterable, Sendable {
  case bash, zsh, fish

  /// A script for the shell to read, printed from the declarations of commands and options.
  var completions: String {
    let lines =
      switch self {
      case .bash: BashCompletions.lines
      case .zsh: ZshCompletions.lines
      case .fish: FishCompletions.lines
      }
    return lines.joined(separator: "\n") + "\n"
  }

  /// A word that the shell takes as it stands.
  static func quoted(_ text: String) -> String { "'" + text.replacing("'", with: "'\\''") + "'" }
}

extension Flag {
  /// Every option once, whichever commands it belongs to: a name takes the same values everywhere.
  static var distinct: [Flag] {
    var seen: Set<String> = []
    return Command.all.flatMap(\.flags).filter { seen.insert($0.name).inserted }
  }

  var takesFile: Bool { value?.contains("FILE") == true }
  var takesDirectory: Bool { value == "DIR" }
}

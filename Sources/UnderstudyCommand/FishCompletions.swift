/// `understudy completions fish`.
enum FishCompletions {
  static var lines: [String] {
    let names = (Command.all.map(\.name) + ["help"]).joined(separator: " ")
    let commands = Command.all.map { command in
      "complete -c understudy -n \"not __fish_seen_subcommand_from \(names)\" -a \(command.name)"
        + " -d \(quoted(command.about))"
    }
    return [
      "# fish completion of understudy: understudy completions fish | source",
      "complete -c understudy -f",
      "complete -c understudy -l help -d 'print the help'",
      "complete -c understudy -l version -d 'print the version'",
    ] + commands + Command.all.flatMap(options)
      + ["complete -c understudy -n 'contains -- -- (commandline -opc)' -F"]
  }

  private static func options(_ command: Command) -> [String] {
    let others = Command.all.map(\.name).filter { $0 != command.name }.joined(separator: " ")
    // A command line without a command serves.
    let condition =
      command.name == Command.serve.name
      ? "not __fish_seen_subcommand_from \(others)" : "__fish_seen_subcommand_from \(command.name)"
    let start = "complete -c understudy -n \"\(condition)\""
    let operands = command.operands()
    let list = operands.isEmpty ? [] : ["\(start) -x -a \(quoted(operands.joined(separator: " ")))"]
    let files = command.takesFiles ? ["\(start) -F"] : []
    return list + files + command.flags.map { "\(start) -l \($0.name.dropFirst(2))\(value($0)) -d \(quoted($0.help))" }
  }

  private static func value(_ flag: Flag) -> String {
    guard flag.value != nil else { return "" }
    let choices = flag.choices()
    let list = choices.isEmpty ? "" : " -a \(quoted(choices.joined(separator: " ")))"
    if flag.takesFile { return " -r -F" + list }
    return flag.takesDirectory ? " -x -a '(__fish_complete_directories)'" : " -x" + list
  }

  /// Returns the text in single quotes; in fish a backslash escapes inside them.
  private static func quoted(_ text: String) -> String {
    "'" + text.replacing("\\", with: "\\\\").replacing("'", with: "\\'") + "'"
  }
}

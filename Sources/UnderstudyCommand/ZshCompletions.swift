import Primitives

/// `understudy completions zsh`: to be sourced, or to be a file `_understudy` in the `fpath`.
enum ZshCompletions {
  static var lines: [String] {
    let names = Command.all.map(\.name).joined(separator: "|")
    return [
      "#compdef understudy",
      "_understudy() {",
      "  local command=serve",
      "  local -a commands",
      "  commands=(",
    ] + Command.all.map { "    " + ShellText.quoted("\($0.name):\($0.about)") } + [
      "  )",
      "  if (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then",
      "    _describe command commands",
      "    return",
      "  fi",
      "  case $words[2] in",
      "    (\(names))",
      "      command=$words[2]",
      "      shift words",
      "      (( CURRENT-- ))",
      "      ;;",
      "  esac",
      "  case $command in",
    ] + Command.all.flatMap(arguments) + [
      "  esac",
      "}",
      "if [[ $funcstack[1] == _understudy ]]; then",
      "  _understudy \"$@\"",
      "else",
      "  compdef _understudy understudy",
      "fi",
    ]
  }

  private static func arguments(_ command: Command) -> [String] {
    let operands = command.operands()
    let list = operands.isEmpty ? [] : [ShellText.quoted("1:name:(\(operands.joined(separator: " ")))")]
    // The words after -- are another command line.
    let rest = command.runsAnother ? ["'*::: :_normal'"] : command.takesFiles ? ["'*:file:_files'"] : []
    let specifications = ["'--help[print the help]'"] + list + command.flags.map(specification) + rest
    return ["    (\(command.name))", "      _arguments \\"]
      + specifications.dropLast().map { "        \($0) \\" } + specifications.suffix(1).map { "        \($0)" }
      + ["      ;;"]
  }

  private static func specification(_ flag: Flag) -> String {
    let start = flag.name + (flag.value == nil ? "" : "=") + "[" + escaped(flag.help) + "]"
    guard let value = flag.value else { return ShellText.quoted(start) }
    return ShellText.quoted("\(start):\(escaped(value)):\(action(flag))")
  }

  private static func action(_ flag: Flag) -> String {
    let choices = flag.choices().joined(separator: " ")
    if !choices.isEmpty, flag.takesFile {
      return "{_alternative \"names\\:name\\:(\(choices))\" \"files\\:file\\:_files\"}"
    }
    if !choices.isEmpty { return "(\(choices))" }
    return flag.takesFile ? "_files" : flag.takesDirectory ? "_files -/" : ""
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("[", with: "\\[").replacing("]", with: "\\]").replacing(":", with: "\\:")
  }
}

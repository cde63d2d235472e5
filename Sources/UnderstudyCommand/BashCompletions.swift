import Primitives

/// `understudy completions bash`, for bash 3.2 and later, which macOS still has.
enum BashCompletions {
  static var lines: [String] {
    let names = Command.all.map(\.name) + ["help"]
    return [
      "# bash completion of understudy: eval \"$(understudy completions bash)\"",
      "_understudy() {",
      "  local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} command=serve words= index",
      "  COMPREPLY=()",
      "  # Bash takes --seed=1 for three words.",
      "  if [[ $word == = ]]; then",
      "    word=",
      "  elif [[ $previous == = && $COMP_CWORD -ge 2 ]]; then",
      "    previous=${COMP_WORDS[COMP_CWORD-2]}",
      "  fi",
      "  # What stands behind -- belongs to the command that is run.",
      "  for ((index = 1; index < COMP_CWORD; index++)); do",
      "    [[ ${COMP_WORDS[index]} == -- ]] && return",
      "  done",
      "  case ${COMP_WORDS[1]} in",
      "    \(names.joined(separator: "|"))) [[ $COMP_CWORD -gt 1 ]] && command=${COMP_WORDS[1]} ;;",
      "  esac",
      "  case \"$command $previous\" in",
    ] + values + [
      "  esac",
      "  case $command in",
    ] + Command.all.map(words) + [
      "  esac",
      "  [[ $COMP_CWORD -eq 1 ]] && words=\"$words \(names.joined(separator: " ")) --version\"",
      "  COMPREPLY=($(compgen -W \"$words --help\" -- \"$word\"))",
      "}",
      "# Where nothing is offered, bash offers files.",
      "complete -o default -F _understudy understudy",
    ]
  }

  /// The values of options. For files bash uses its own completion, unless it is turned off; bash 3.2 cannot do so.
  private static var values: [String] {
    let listed = Command.all.flatMap { command in
      command.flags.filter { $0.value != nil && !$0.choices().isEmpty }.map { flag in
        let list = ShellText.quoted(flag.choices().joined(separator: " "))
        return "    '\(command.name) \(flag.name)') COMPREPLY=($(compgen -W \(list) -- \"$word\")); return ;;"
      }
    }
    // An option may take a file in one command, and another value in another one.
    let files = Command.all.flatMap { command in
      command.flags.filter { $0.takesFile || $0.takesDirectory }.map { "'\(command.name) \($0.name)'" }
    }
    let others = Command.all.flatMap(\.flags).filter { $0.value != nil && $0.choices().isEmpty }.distinct(by: \.name)
      .map { "*' \($0.name)'" }
    return listed + [
      "    \(files.joined(separator: "|"))) return ;;",
      "    \(others.joined(separator: "|"))) compopt +o default 2>/dev/null; return ;;",
    ]
  }

  private static func words(_ command: Command) -> String {
    let words = command.operands() + command.flags.map(\.name)
    let unlessFile = command.takesFiles ? "[[ $word != -* ]] && return; " : ""
    return "    \(command.name)) \(unlessFile)words=\(ShellText.quoted(words.joined(separator: " "))) ;;"
  }
}

import Understudy

/// One command of the program: how it is written, and what may stand behind it.
struct Command: Sendable {
  let name: String
  /// What stands behind the program's name in the help.
  let usage: String
  let about: String
  let flags: [Flag]
  /// The words that it takes besides options, as far as they can be listed.
  let operands: @Sendable () -> [String]

  init(
    _ name: String, _ usage: String, _ about: String, _ flags: [Flag] = [],
    operands: @autoclosure @escaping @Sendable () -> [String] = []
  ) {
    self.name = name
    self.usage = usage
    self.about = about
    self.flags = flags
    self.operands = operands
  }
}

extension Command {
  /// What is served when no command is named.
  static let serve = Command("serve", "[serve] [options]", "serve until Ctrl-C or SIGTERM", Flag.serving)
  static let run = Command(
    "run", "run [options] -- CMD …", "run CMD with UNDERSTUDY_URL set, then examine what it did",
    Flag.running + Flag.served)

  /// All commands, in the order of the help.
  static let all = [
    serve, run,
    Command(
      "plan", "plan [options]", "foretell the fates of a route's requests, without serving", Flag.foretelling),
    Command(
      "scenarios", "scenarios [NAME]", "list what can go wrong, or print one scenario",
      operands: MockServer.scenarios.map(\.name)),
    Command(
      "report", "report --merge FILE …", "make one report of the cards of many instances",
      Flag.merging),
    Command("health", "health [options]", "ask a server whether it serves: exit 0, or 1", Flag.probing),
    Command("openapi", "openapi", "print the OpenAPI 3.1 document"),
    Command(
      "completions", "completions SHELL", "print what completes this command line in bash, zsh or fish",
      operands: Shell.allCases.map(\.rawValue)),
    Command("man", "man", "print the manual page"),
  ]
}

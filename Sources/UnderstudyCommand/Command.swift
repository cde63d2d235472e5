import Contract
import ControlAPI
import Understudy

/// One command of the program: its syntax and its options.
struct Command: Sendable {
  let name: String
  /// The words after the program's name in the help.
  let usage: String
  let about: String
  let flags: [Flag]
  /// The possible operands, as far as they can be listed.
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
  /// The default command.
  static let serve = Command("serve", "[serve] [options]", "serve until Ctrl-C or SIGTERM", Flag.serving)
  static let run = Command(
    "run", "run [options] -- CMD …", "run CMD with UNDERSTUDY_URL set, then check its requests",
    Flag.running + Flag.served)

  static let explore = Command(
    "explore", "explore [options] -- CMD …",
    "run CMD once per request and way to fail; print a table",
    Flag.exploring + Flag.exploredServing)

  /// True if it runs another command, which stands after `--`.
  var runsAnother: Bool { name == Command.run.name || name == Command.explore.name }

  /// All commands, in the order of the help.
  static let all = [
    serve, run, explore,
    Command(
      "plan", "plan [options]", "print the plans of a route's next requests, without serving", Flag.preview),
    Command(
      "scenarios", "scenarios [NAME]", "list the built-in scenarios, or print one",
      operands: MockServer.scenarios.map(\.name)),
    Command("scenario", "scenario --from FILE", "make a scenario from a HAR file or a journal", Flag.recording),
    Command(
      "check", "check [options] FILE …",
      "check scenarios, data and semantics; print the first errors", Flag.checking),
    Command(
      "report", "report [options] [FILE …]", "merge report cards into one, or get a running server's",
      Flag.merging),
    Command(
      "health", "health [options]", "check a server's health; exit 0 if it is healthy, else 1", Flag.probing),
    Command(
      "conform", "conform URL [options]", "check any server against the contract",
      Flag.judging),
    Command("openapi", "openapi", "print the OpenAPI 3.1 document"),
    Command(
      "schema", "schema NAME", "print a JSON Schema, for editors and validators",
      operands: SchemaDocument.all.map(\.name)),
    Command(
      "completions", "completions SHELL", "print the completion script for bash, zsh or fish",
      operands: Shell.allCases.map(\.rawValue)),
    Command("man", "man", "print the manual page"),
  ]
}

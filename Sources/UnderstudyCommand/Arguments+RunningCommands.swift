import Exploration
import Primitives
import Understudy

/// The arguments of `run` and `explore`, which run another command.
extension Arguments {
  static func running(_ words: ArraySlice<String>) throws(UsageError) -> Settings {
    let settings = try runningCommand(Command.run, words, refusing: Flag.foreignToRun)
    if settings.sweep != nil, settings.spelled.contains(where: { $0.name == "--seed" }) {
      throw UsageError("--seed and --sweep cannot be combined: --sweep sets the seeds")
    }
    if settings.options.stateDirectory != nil, settings.shrinks || settings.sweep != nil {
      throw UsageError("--state cannot be combined with --sweep or --shrink: each of their runs starts with new data")
    }
    if settings.shrinks, settings.options.scenario == "calm" {
      throw UsageError("--shrink needs a --scenario with rules: calm has none to remove")
    }
    return settings
  }

  static func exploring(_ words: ArraySlice<String>) throws(UsageError) -> Settings {
    let settings = try runningCommand(Command.explore, words, refusing: Flag.foreignToExplore)
    func isGiven(_ name: String) -> Bool { settings.spelled.contains { $0.name == name } }
    if settings.exploration.jobs > 1, let name = ["--port", "--control-port", "--reset"].first(where: isGiven) {
      let reason = name == "--reset" ? "would reset each other's data" : "need ports of their own"
      let value = settings.spelled.first { $0.name == name }?.value
      // Each server gets a free port of its own for 0.
      if name == "--reset" || value.flatMap({ Int($0) }) != 0 {
        throw UsageError("--jobs and \(name) cannot be combined: runs at the same time \(reason)")
      }
    }
    if isGiven("--cell"), let name = ["--faults", "--twice", "--limit", "--known"].first(where: isGiven) {
      throw UsageError("--cell and \(name) cannot be combined: --cell names the one cell to run")
    }
    return settings
  }

  /// Parses the words of a command that runs another one, which stands after `--`.
  private static func runningCommand(
    _ command: Command, _ words: ArraySlice<String>, refusing foreign: [String: String]
  ) throws(UsageError) -> Settings {
    guard let end = words.firstIndex(of: "--"), end + 1 < words.endIndex else {
      throw UsageError("\(command.name) needs a command after --: \(example(of: command, words))")
    }
    for word in words[..<end] {
      let name = word.split(separator: "=", maxSplits: 1).first.map(String.init) ?? word
      guard let reason = foreign[name] else { continue }
      throw UsageError("\(command.name) does not support \(name): \(reason)")
    }
    // The printed command line must be sufficient to repeat a run, so environment variables are ignored.
    var settings = try settings(words[..<end], command.flags, [:])
    settings.command = Array(words[(end + 1)...])
    if !settings.spelled.contains(where: { $0.name == "--port" }) { settings.options.port = 0 }
    if let port = settings.options.controlPort, port != 0, port == settings.options.port {
      throw UsageError("--port and --control-port are the same, \(port): traffic and control need a port each")
    }
    try refuseOneFile(settings)
    return settings
  }

  /// Returns the command line that was probably meant: `--` stands before the first word that is no option.
  private static func example(of command: Command, _ words: ArraySlice<String>) -> String {
    var rest = words
    while let word = rest.first, word.hasPrefix("-") {
      let takesValue = command.flags.contains { $0.name == word && $0.value != nil }
      rest = rest.dropFirst(takesValue ? 2 : 1)
    }
    let usual = command.name == Command.run.name ? "run --scenario lost-ack" : command.name
    guard !rest.isEmpty else { return "understudy \(usual) -- swift test" }
    return ShellText.line(["understudy", command.name] + words[..<rest.startIndex] + ["--"] + rest)
  }
}

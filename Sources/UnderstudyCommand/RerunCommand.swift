import Primitives

/// The command line that repeats a run, ready to paste into a shell.
struct RerunCommand {
  let settings: Settings

  /// The options that choose the seeds, or that concern all runs together.
  private static let omitted = ["--seed", "--sweep", "--shrink", "--shrink-to", "--report", "--junit"]

  /// Returns the command line.
  ///
  /// - Parameter seed: The seed of the run to repeat.
  func line(seed: UInt64) -> String {
    let options = settings.spelled.filter { !Self.omitted.contains($0.name) }.flatMap { name, value in
      // A log must not contain the token, and any other serves as well.
      name == Flag.token.name ? [name, Flag.randomToken] : value.map { [name, $0] } ?? [name]
    }
    return ShellText.line(
      [CommandLine.arguments[0], "run"] + options + ["--seed", "\(seed)", "--"] + settings.command)
  }
}

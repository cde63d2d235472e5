import Faults
import Primitives

/// The command line that repeats a run, ready to paste into a shell.
struct RerunCommand {
  let settings: Settings

  /// The options that choose the seeds, or that concern all runs together.
  private static let omitted = ["--seed", "--sweep", "--shrink", "--shrink-to", "--report", "--junit"]

  /// The options of `explore` that choose the cells, or that concern all of them together.
  private static let omittedInCell = [
    "--cell", "--faults", "--twice", "--limit", "--jobs", "--known", "--save", "--report", "--junit",
  ]

  /// Returns the command line of `run`.
  ///
  /// - Parameter seed: The seed of the run to repeat.
  func line(seed: UInt64) -> String {
    line(["run"], without: Self.omitted, ["--seed", "\(seed)"])
  }

  /// Returns the command line of `explore` for one cell.
  func line(cell: String) -> String { line(["explore"], without: Self.omittedInCell, ["--cell", cell]) }

  /// Returns the command line of `run` with a scenario, for an exploration's cell that it holds.
  ///
  /// - Parameters:
  ///   - limit: The time limit that it needs; nil for none but that of the exploration.
  ///   - failsOnWarnings: True if a warning is what the cell shows.
  func line(scenario file: String, limit: Duration?, failsOnWarnings: Bool) -> String {
    let own = Flag.exploring.map(\.name).filter {
      ![Flag.timeout.name, Flag.clients.name, Flag.fixedPort.name].contains($0)
    }
    let timeout = Flag.timeout.name
    let strictness = failsOnWarnings ? ["--fail-on", "warn"] : []
    let needed = (limit.map { [timeout, "\($0.roundedUpSeconds)s"] } ?? []) + strictness
    let omitted = own + ["--scenario"] + (limit == nil ? [] : [timeout])
    let reset = settings.resetCommand.map { ShellText.line(["sh", "-c", $0]) + " && " } ?? ""
    return reset + line(["run"], without: omitted, ["--scenario", file] + needed)
  }

  private func line(_ command: [String], without omitted: [String], _ last: [String]) -> String {
    let options = settings.spelled.filter { !omitted.contains($0.name) }.flatMap { name, value in
      // A log must not contain the token, and any other serves as well.
      name == Flag.token.name ? [name, Flag.randomToken] : value.map { [name, $0] } ?? [name]
    }
    return ShellText.line(
      [CommandLine.arguments[0]] + command + options + last + ["--"] + settings.command)
  }
}

import Exploration
import Faults
import Report
import Understudy

/// The reason why an exploration has no table, for people.
struct ExploreRefusal {
  private let settings: Settings
  /// The signal that asked this program to stop.
  private let stop: Int32?

  init(_ settings: Settings, stop: Int32?) {
    self.settings = settings
    self.stop = stop
  }

  /// Reports it, and returns the exit code.
  func report(_ obstacle: Explorer.Obstacle) -> Int32 {
    switch obstacle {
    case .command(let run, let calm):
      if let stop { return 128 + stop }
      Output.complain("without a fault, \(run.failure ?? "the command failed")", withOutput: run.output)
      show(run)
      advise(calm)
      return run.exitCode
    case .noRequest:
      Output.complain(RunCommand.noRequest)
      return ExitCode.failedReport
    case .noAnswer(let reason):
      Output.complain("\(reason) to \(settings.options.upstream ?? "it"): start it, or correct the URL")
      return ExitCode.failedReport
    case .card(let run, let calm):
      Output.complain(run.calmMistake + ":")
      Output.writeError(run.report.text() + "\n")
      advise(calm)
      return ExitCode.failedReport
    case .noCells(let targets, let matching, let remarks):
      Output.complain(reason(targets, matching: matching, remarks))
      for remark in remarks { Output.complain(remark) }
      return ExitCode.failedReport
    case .noRow(let rows):
      Output.complain(
        "--cell \(cell): the command sends no such request without faults; its requests are \(rows.joined(separator: ", "))"
      )
      return ExitCode.usage
    case .noCell(let cell):
      Output.complain("--cell \(cell): the request cannot fail so: \(FaultWay.strikeConditions)")
      return ExitCode.usage
    case .stopped: return 128 + (stop ?? 0)
    }
  }

  private var cell: String { settings.exploration.cell?.text ?? "" }

  private func show(_ run: ExploredRun) {
    guard !run.requestLines.isEmpty else { return Output.complain("it sent no request") }
    Output.complain("its last requests:")
    for line in run.requestLines { Output.writeErrorLine("  " + line) }
  }

  /// Says what may have failed the second run after the first succeeded.
  private func advise(_ calm: Explorer.CalmRun) {
    guard calm == .second else { return }
    let advice =
      settings.resetCommand == nil
      ? "--reset COMMAND runs before each run, and can restore it" : "the command of --reset does not restore it"
    Output.complain(
      "the first run without faults succeeded: what it left behind in the backend or in files may fail the second; \(advice)"
    )
  }

  /// Returns why no request makes a cell.
  private func reason(_ targets: [String], matching: Int, _ remarks: [String]) -> String {
    let shown = targets.prefix(8).joined(separator: ", ") + (targets.count > 8 ? ", …" : "")
    if matching == 0, let only = settings.options.only {
      return "--only \(only.text) matches no request of the command, so nothing was explored; its requests are \(shown)"
    }
    guard remarks.isEmpty else { return "no request can be explored:" }
    let ways = settings.exploration.ways.map(\.text).joined(separator: ", ")
    return
      "no request can fail by \(ways), so nothing was explored: \(FaultWay.strikeConditions); the requests are \(shown)"
  }
}

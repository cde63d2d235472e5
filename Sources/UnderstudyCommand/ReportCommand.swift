import Report
import Understudy

/// `understudy report --merge`: merges the report cards of several instances into one.
struct ReportCommand {
  let settings: Settings

  /// Reads the files, prints the merged card, and writes the requested files.
  ///
  /// - Returns: The exit code: that of the first failed command, or else 3 if the merged card fails, or 0.
  /// - Throws: `ReportFileError` for a file without a card.
  func run() throws -> Int32 {
    let files = ReportFiles(settings)
    let report = try MergedReport(reading: settings.cardFiles, failsOnWarnings: settings.failOn == .warn)
    Output.write(report.text(.text, inColor: Output.isColored))
    guard files.write({ report.text($0) }) else { return ExitCode.cannotCreate }
    return report.commandFailure ?? (settings.failOn.isFailing(report.worst) ? ExitCode.failedReport : 0)
  }
}

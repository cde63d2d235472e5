import Understudy

/// `understudy report --merge`: the cards of many instances are made one.
struct ReportCommand {
  let settings: Settings

  /// Reads the files, prints the merged card and writes the files that are asked for.
  ///
  /// - Returns: The exit code: that of the first command that failed, else 3 when the merged card fails.
  /// - Throws: `ReportFileError` for a file that holds no card.
  func run() throws -> Int32 {
    let files = ReportFiles(settings)
    let report = try MergedReport(reading: settings.cardFiles, failsOnWarnings: settings.failOn == .warn)
    Output.write(report.text(.text, inColor: Output.isColored))
    guard files.write({ report.text($0) }) else { return ExitCode.cannotCreate }
    return report.commandFailure ?? (settings.failOn.isFailing(report.worst) ? ExitCode.failedReport : 0)
  }
}

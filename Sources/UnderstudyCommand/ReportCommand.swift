import Report
import Understudy

/// `understudy report`: merges the report cards of several instances into one, or gets those of a running server.
struct ReportCommand {
  let settings: Settings

  /// Reads the cards, prints the merged one, and writes the requested files.
  ///
  /// - Returns: The exit code: that of the first failed command, or else 3 if the merged card fails, or 0.
  /// - Throws: `ReportFileError` for a file without a card, `ServerReport.Refusal` for a server that gives none.
  func run() throws -> Int32 {
    let report = try report
    Output.write(report.text(.text, inColor: Output.isColored))
    let isSilent = settings.reportURL != nil && report.exchanges == 0 && settings.failOn != .never
    if isSilent { Output.complain("the server got no request, so there is nothing to judge") }
    let isWritten = ReportFiles(settings).write { report.text($0) }
    let isIdle = settings.failsOnIdle && report.isIdle
    if isIdle { Output.write("No fault took effect in any of these runs.\n") }
    if let failure = report.commandFailure { return failure }
    if isIdle || isSilent || settings.failOn.isFailing(report.worst) { return ExitCode.failedReport }
    return isWritten ? 0 : ExitCode.cannotWrite
  }

  private var report: MergedReport {
    get throws {
      let failsOnWarnings = settings.failOn == .warn
      guard let url = settings.reportURL else {
        return try MergedReport(reading: settings.cardFiles, failsOnWarnings: failsOnWarnings)
      }
      let server = ServerReport(url: url, token: settings.options.adminToken, isFinal: !settings.isInterim)
      return MergedReport(try server.parts(), failsOnWarnings: failsOnWarnings)
    }
  }
}

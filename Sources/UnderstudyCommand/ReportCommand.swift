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
    let requirements = requirements(on: report)
    Output.write(report.text(.text, style: Output.style))
    let failures = requirements.compactMap(\.failure)
    for failure in failures { Output.write(failure + ".\n") }
    let isWritten = ReportFiles(settings).write { report.text($0, requirements) }
    if let failure = report.commandFailure { return failure }
    let isRunFailing = settings.failOn != .never && !report.unmetRequirements.isEmpty
    if isRunFailing || !failures.isEmpty || settings.failOn.isFailing(report.worst) { return ExitCode.failedReport }
    return isWritten ? 0 : ExitCode.cannotWrite
  }

  private func requirements(on report: MergedReport) -> [RunRequirement] {
    var list: [RunRequirement] = []
    if settings.reportURL != nil, settings.failOn != .never {
      let noRequest = "The server got no request, so there is nothing to judge"
      list.append(.requests(failure: report.exchanges == 0 ? noRequest : nil))
    }
    if settings.failsOnIdle {
      list.append(.faults(failure: report.isIdle ? "No fault took effect in any of these runs" : nil))
    }
    return list
  }

  private var report: MergedReport {
    get throws {
      let failsOnWarnings = settings.failOn == .warn
      guard let url = settings.reportURL else {
        return try MergedReport(reading: settings.cardFiles, failsOnWarnings: failsOnWarnings)
      }
      let server = ServerReport(url: url, token: settings.options.adminToken, isFinal: !settings.isInterim)
      return MergedReport(try server.parts(), failsOnWarnings: failsOnWarnings, isOfServer: true)
    }
  }
}

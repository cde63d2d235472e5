import Platform
import Report
import Understudy

/// `understudy report`: merges the report cards of several instances into one, or gets those of a running server.
struct ReportCommand {
  let settings: Settings

  /// The maximum size of a file.
  private static let maximumBytes = 256 << 20

  /// Reads the cards, prints the merged one, and writes the requested files.
  ///
  /// - Returns: The exit code: that of the first failed command, or else 3 if the merged card fails, or 0.
  /// - Throws: `ReportFileError` for a file without a card, `CallFailure` for a server that gives none.
  func run() throws -> Int32 {
    let report = try report
    let requirements = requirements(on: report)
    Output.write(report.text(.text, style: Output.style))
    if isWithoutRequest(report) { Output.write(Self.noRequest + ".\n") }
    let isWritten = ReportFiles(settings).write { report.text($0, requirements) }
    if let failure = report.commandFailure { return failure }
    let isRunFailing = settings.failOn != .never && !report.unmetRequirements.isEmpty
    if isRunFailing || requirements.contains(where: { $0.failure != nil }) || settings.failOn.isFailing(report.worst) {
      return ExitCode.failedReport
    }
    return isWritten ? 0 : ExitCode.cannotWrite
  }

  private static let noRequest = "The server got no request, so there is nothing to judge"

  private func isWithoutRequest(_ report: ReportFile) -> Bool {
    settings.reportURL != nil && settings.failOn != .never && report.exchanges == 0
  }

  private func requirements(on report: ReportFile) -> [RunRequirement] {
    var list: [RunRequirement] = []
    if settings.reportURL != nil, settings.failOn != .never {
      list.append(.requests(failure: isWithoutRequest(report) ? Self.noRequest : nil))
    }
    if settings.failsOnIdle {
      list.append(.faults(failure: report.isIdle ? "No fault took effect in any of these runs" : nil))
    }
    return list
  }

  private var report: ReportFile {
    get throws {
      let failsOnWarnings = settings.failOn == .warn
      if let url = settings.reportURL {
        let server = ServerReport(url: url, token: settings.options.adminToken, isFinal: !settings.isInterim)
        return ReportFile(try server.runs(), of: .server, failsOnWarnings: failsOnWarnings)
      }
      let runs = try settings.cardFiles.flatMap { path in
        try ReportRun.read(File.read(path, atMost: Self.maximumBytes), of: path)
      }
      return ReportFile(runs, of: .files, failsOnWarnings: failsOnWarnings)
    }
  }
}

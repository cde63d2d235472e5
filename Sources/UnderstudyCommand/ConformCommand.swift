import Conformance
import Understudy

/// `understudy conform`: checks any server against the contract of the five APIs.
struct ConformCommand {
  let settings: Settings

  /// Prints the selected checks.
  func list() throws(JudgeError) {
    for check in try ConformanceSuite.checks(only: settings.onlyChecks) {
      Output.write("\(check.id) (\(check.origin.rawValue))\n  \(check.sentence) (\(check.source))\n")
    }
  }

  /// Checks the server, prints the report, and returns the exit code.
  func run() async throws(JudgeError) -> Int32 {
    let files = ReportFiles(settings)
    do { try files.checkPaths() } catch {
      Output.complain("\(error)")
      return ExitCode.cannotCreate
    }
    let report = try await ConformanceSuite.judge(
      settings.urls.first ?? "", only: settings.onlyChecks, patience: settings.patience,
      writes: settings.allowsWrites, adminToken: settings.options.adminToken)
    Output.write(report.report(isLong: settings.isLong))
    guard files.write({ _ in report.junit }) else { return ExitCode.cannotCreate }
    // If all checks were skipped, nothing was shown; a build server must not take that for success.
    return report.failed.isEmpty && report.passed > 0 ? 0 : ExitCode.nonconforming
  }
}

/// The program's own exit codes: those of `sysexits.h`, and that of health checks.
enum ExitCode {
  static let unhealthy: Int32 = 1
  /// The report failed although every command exited with 0.
  static let failedReport: Int32 = 3
  static let usage: Int32 = 64
  static let badData: Int32 = 65
  static let unavailable: Int32 = 69
  static let cannotCreate: Int32 = 73
}

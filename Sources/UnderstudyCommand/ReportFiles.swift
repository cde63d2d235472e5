import Platform
import Report
import Understudy

/// The files of `--report` and `--junit`. `-` is standard output.
struct ReportFiles {
  private let files: [(path: String, format: ReportCard.Format)]
  /// The file of `--shrink-to`, which `ScenarioReducer` writes.
  private let shrinkFile: String?

  init(_ settings: Settings) {
    shrinkFile = settings.shrinkFile
    files =
      [settings.junitFile.map { ($0, .junit) }, settings.report].compactMap(\.self)
  }

  private static let standardOutput = "-"

  /// Throws if it is already certain that a file cannot be written. If one is standard output, the
  /// other texts of this program, and the output of its command, go to standard error.
  func checkPaths() throws {
    if files.contains(where: { $0.path == Self.standardOutput }) { Output.keepForReport() }
    for path in files.map(\.path).filter({ $0 != Self.standardOutput }) + (shrinkFile.map { [$0] } ?? []) {
      try File.checkPath(path)
    }
  }

  /// Writes the files, and reports those that cannot be written.
  ///
  /// - Parameter text: Returns the content in a format.
  /// - Returns: True if all files were written.
  func write(_ text: (ReportCard.Format) -> String) -> Bool {
    var isWritten = true
    for file in files {
      let text = text(file.format)
      guard file.path != Self.standardOutput else {
        Output.writeReport(text)
        isWritten = isWritten && !Output.isLost
        continue
      }
      do {
        try File.write(Array(text.utf8), to: file.path)
      } catch {
        Output.complain("\(error)")
        isWritten = false
      }
    }
    return isWritten
  }
}

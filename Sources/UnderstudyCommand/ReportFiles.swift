import Platform
import Report
import Understudy

/// The files of `--report` and `--junit`.
struct ReportFiles {
  private let files: [(path: String, format: ReportFormat)]
  /// The file of `--shrink-to`, which `ScenarioReducer` writes.
  private let shrinkFile: String?

  init(_ settings: Settings) {
    shrinkFile = settings.shrinkFile
    files =
      [settings.junitFile.map { ($0, .junit) }, settings.report].compactMap(\.self)
  }

  /// Throws if it is already certain that a file cannot be written.
  func checkPaths() throws {
    for path in files.map(\.path) + (shrinkFile.map { [$0] } ?? []) { try File.checkPath(path) }
  }

  /// Writes the files, and reports those that cannot be written.
  ///
  /// - Parameter text: Returns the content in a format.
  /// - Returns: True if all files were written.
  func write(_ text: (ReportFormat) -> String) -> Bool {
    var isWritten = true
    for file in files {
      do {
        try File.write(Array(text(file.format).utf8), to: file.path)
      } catch {
        Output.complain("\(error)")
        isWritten = false
      }
    }
    return isWritten
  }
}

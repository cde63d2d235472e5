import Understudy

/// The files of `--report` and `--junit`.
struct ReportFiles {
  private let files: [(path: String, form: RunFile.Form)]
  /// The file of the smallest scenario, which is written by its search.
  private let shrinkFile: String?

  init(_ settings: Settings) {
    shrinkFile = settings.shrinkFile
    files =
      (settings.junitFile.map { [($0, .junit)] } ?? [])
      + (settings.reportFile.map { [($0, RunFile.Form(of: $0))] } ?? [])
  }

  /// Throws the errors of writing that can be detected beforehand.
  func checkPlaces() throws {
    for path in files.map(\.path) + (shrinkFile.map { [$0] } ?? []) { try TextFile.checkPlace(path) }
  }

  /// Writes the files, and reports those that cannot be written.
  ///
  /// - Parameter text: Returns the content in a format.
  /// - Returns: True if all files were written.
  func write(_ text: (RunFile.Form) -> String) -> Bool {
    var isWritten = true
    for file in files {
      do {
        try TextFile.write(text(file.form), to: file.path)
      } catch {
        Output.writeError("understudy: \(error)\n")
        isWritten = false
      }
    }
    return isWritten
  }
}

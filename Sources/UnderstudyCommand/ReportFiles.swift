import Understudy

/// The files that `--report` and `--junit` name.
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

  /// Throws what writing would throw, as far as that can be known beforehand.
  func checkPlaces() throws {
    for path in files.map(\.path) + (shrinkFile.map { [$0] } ?? []) { try TextFile.checkPlace(path) }
  }

  /// Writes the files, and tells of those that cannot be written.
  ///
  /// - Parameter text: The content in a form.
  /// - Returns: True if all were written.
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

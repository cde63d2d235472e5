import Platform
package import Report

extension MergedReport {
  /// The maximum size of a file.
  private static var maximumBytes: Int { 256 << 20 }

  /// Reads the files of `run --report` and `GET /_mock/report`, and those of earlier merges.
  package init(reading paths: [String], failsOnWarnings: Bool) throws(ReportFileError) {
    var parts: [ReportPart] = []
    for path in paths {
      let content: [UInt8]
      do throws(SystemError) {
        content = try File.read(path, atMost: Self.maximumBytes)
      } catch {
        throw ReportFileError(description: "\(error)")
      }
      parts += try ReportPart.read(content, of: path)
    }
    self.init(parts, failsOnWarnings: failsOnWarnings)
  }
}

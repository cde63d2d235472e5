@_exported public import Report

/// The verdicts on a sandbox's clients.
///
/// A card has the `sandbox`, its `scenario` and `seed`, the number of `exchanges` that were checked, and its `checks`. Each check
/// has an `id`, such as `no-duplicate-effect`, a `verdict`, a `sentence` with the finding and the advice, and the ids of the journal's
/// entries that prove it as `evidence`.
public typealias ReportCard = Report.ReportCard

extension ReportCard {
  public typealias Verdict = Report.Verdict

  /// Returns the check of this name; nil if the card has none.
  public subscript(id: String) -> Check? { checks.first { $0.id == id } }

  /// Returns the checks that fail a test.
  ///
  /// Warnings about the run or the backend, such as those of `faults-delivered`, do not count.
  public func failures(_ threshold: Threshold = .fail) -> [Check] {
    checks.filter { $0.isOfClient && threshold.isFailing($0.verdict) }
  }
}

extension Backend {
  /// The format of a report card.
  public typealias ReportFormat = ReportCard.Format

  /// Returns the report card, on the assumption that the clients send no further requests.
  public func report() async throws(BackendError) -> ReportCard {
    let content = try await client.send(.get, "/_mock/report?format=json&final=true")
    do throws(ReportFileError) {
      return try ReportCard.read(content, of: "The report of \(name)")
    } catch {
      throw .unusable(error.description)
    }
  }

  /// Returns the report card for people or for a build server.
  public func report(as format: ReportFormat) async throws(BackendError) -> String {
    String(decoding: try await client.send(.get, "/_mock/report?format=\(format.rawValue)&final=true"), as: UTF8.self)
  }

  /// Throws `BackendError.failedReport` if the card has failed checks. Call it at the end of a test without the trait
  /// `.understudy`, for example in XCTest.
  ///
  /// The error's description begins with the place of the call, and contains the sentence of each failed check and the
  /// command that repeats the test.
  ///
  /// - Parameters:
  ///   - threshold: The mildest verdict that counts as a failure.
  ///   - fileID: The file of the test, for the command that repeats it.
  ///   - filePath: The same file, for the place.
  ///   - line: The line of the call.
  ///   - function: The test, for the command.
  public func verify(
    failOn threshold: ReportCard.Threshold = .fail, fileID: String = #fileID, filePath: String = #filePath,
    line: Int = #line, function: String = #function
  ) async throws(BackendError) {
    let card = try await report()
    let failures = card.failures(threshold)
    guard !failures.isEmpty else { return }
    let repetition = RepeatLine(seed: card.seed, filter: RepeatLine.filter(ofFunction: function, in: fileID))
    throw .failedReport(
      FailedReport(
        card: card, checks: failures, place: "\(filePath):\(line)", repetition: repetition.description))
  }
}

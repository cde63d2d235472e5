import JSON
@_exported public import Report

/// The verdicts on a sandbox's clients, computed from its exchanges.
public struct ReportCard: Sendable {
  public let sandbox: String
  public let scenario: String
  public let seed: UInt64
  /// The number of exchanges that were checked.
  public let exchanges: Int
  public let checks: [Check]

  /// A check of the clients' behaviour, and its result.
  public struct Check: Sendable, Identifiable, CustomStringConvertible {
    /// The check's name, such as `no-duplicate-effect`.
    public let id: String
    public let verdict: Verdict
    /// The finding, and the advice for it.
    public let sentence: String
    /// The ids of the journal entries that prove the finding.
    public let evidence: [Int]

    public var description: String {
      let entries = evidence.map { "#\($0)" }.joined(separator: ", ")
      return "\(id): \(sentence)" + (entries.isEmpty ? "" : " [journal \(entries)]")
    }
  }

  public typealias Verdict = Report.Verdict

  /// The mildest verdict that fails a test.
  public enum Threshold: Sendable {
    case warn, fail
    /// No verdict fails the test.
    case never
  }

  public subscript(id: String) -> Check? { checks.first { $0.id == id } }

  /// Returns the checks that fail a test.
  ///
  /// Warnings about the run or the backend, such as those of `faults-delivered`, do not count.
  public func failures(_ threshold: Threshold = .fail) -> [Check] {
    checks.filter { check in
      switch threshold {
      case .never: false
      case .fail: check.verdict == .fail
      case .warn: check.verdict == .fail || check.verdict == .warn && !CheckRunner.idsOfOthers.contains(check.id)
      }
    }
  }
}

extension ReportCard {
  init(_ bytes: [UInt8]) throws(BackendError) {
    let card = try JSONValue(response: bytes)
    guard let checks = card["checks"]?.array else { throw .unusable("The server's report has no checks.") }
    sandbox = card["sandbox"]?.string ?? ""
    scenario = card["scenario"]?.string ?? ""
    seed = UInt64(max(0, card["seed"]?.int ?? 0))
    exchanges = card["exchanges"]?.int ?? 0
    self.checks = try checks.map { check throws(BackendError) in
      let word = check["verdict"]?.string ?? ""
      guard let verdict = Verdict(rawValue: word) else {
        throw .unusable("The server's report has the verdict «\(word)», which is not known here.")
      }
      return Check(
        id: check["id"]?.string ?? "", verdict: verdict, sentence: check["sentence"]?.string ?? "",
        evidence: check["evidence"]?.array?.compactMap(\.int) ?? [])
    }
  }
}

extension Backend {
  /// The format of a report card.
  public enum ReportFormat: String, Sendable {
    case json, text, html, junit
  }

  /// Returns the report card, on the assumption that the clients send no further requests.
  public func report() async throws(BackendError) -> ReportCard {
    try ReportCard(try await client.send(.get, "/_mock/report?format=json&final=true"))
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

import JSON

/// The verdicts about a sandbox's clients, computed from its exchanges.
public struct ReportCard: Sendable {
  public let sandbox: String
  public let scenario: String
  public let seed: UInt64
  /// The number of requests that were examined.
  public let exchanges: Int
  public let checks: [Check]

  /// One question about the clients, and its answer.
  public struct Check: Sendable, Identifiable, CustomStringConvertible {
    /// As in `no-duplicate-effect`.
    public let id: String
    public let verdict: Verdict
    /// The finding, and what to do about it.
    public let sentence: String
    /// The ids of the journal's entries that prove it.
    public let evidence: [Int]

    public var description: String {
      let entries = evidence.map { "#\($0)" }.joined(separator: ", ")
      return "\(id): \(sentence)" + (entries.isEmpty ? "" : " [journal \(entries)]")
    }
  }

  public enum Verdict: String, Sendable, Comparable {
    case notExercised = "not exercised"
    case pass, warn, fail

    public static func < (left: Verdict, right: Verdict) -> Bool { left.rank < right.rank }

    private var rank: Int {
      switch self {
      case .notExercised: 0
      case .pass: 1
      case .warn: 2
      case .fail: 3
      }
    }
  }

  /// The least verdict that fails a test.
  public enum Threshold: Sendable {
    case warn, fail
    /// The card fails no test.
    case never
  }

  public subscript(id: String) -> Check? { checks.first { $0.id == id } }

  /// Returns the checks that fail a test.
  ///
  /// `faults-delivered` speaks of the run rather than of a client, so that its warnings do not count.
  public func failures(_ threshold: Threshold = .fail) -> [Check] {
    checks.filter { check in
      switch threshold {
      case .never: false
      case .fail: check.verdict == .fail
      case .warn: check.verdict == .fail || check.verdict == .warn && check.id != "faults-delivered"
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
  /// The form in which a report card is shown.
  public enum ReportFormat: String, Sendable {
    case json, text, html, junit
  }

  /// Returns the report card as it stands if nothing more comes.
  public func report() async throws(BackendError) -> ReportCard {
    try ReportCard(try await client.send(.get, "/_mock/report?format=json&final=true"))
  }

  /// Returns the report card for people or for a build server.
  public func report(as format: ReportFormat) async throws(BackendError) -> String {
    String(decoding: try await client.send(.get, "/_mock/report?format=\(format.rawValue)&final=true"), as: UTF8.self)
  }

  /// Throws `BackendError.failedReport` if the card has failed checks: the end of a test without the trait, as in XCTest.
  ///
  /// The error's description has each failed check's sentence, and the line that runs the test again.
  ///
  /// - Parameter threshold: The least verdict that counts as a failure.
  public func verify(
    failOn threshold: ReportCard.Threshold = .fail, fileID: String = #fileID, function: String = #function
  ) async throws(BackendError) {
    let card = try await report()
    let failures = card.failures(threshold)
    guard !failures.isEmpty else { return }
    let module = fileID.prefix { $0 != "/" }
    let test = function.prefix { $0 != "(" }
    let repetition = RerunCommand.line(seed: card.seed, filter: "\(module)\\..*\(test)")
    throw .failedReport(FailedReport(card: card, checks: failures, repetition: repetition))
  }
}

/// The shell line that runs a test again.
enum RerunCommand {
  /// - Parameter filter: The regular expression of `swift test --filter`.
  static func line(seed: UInt64, filter: String) -> String { "UNDERSTUDY_SEED=\(seed) swift test --filter '\(filter)'" }
}

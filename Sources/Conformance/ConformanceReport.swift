/// The result of checking a server: one result for each selected check.
public struct ConformanceReport: Sendable {
  /// The address of the server.
  public let url: String
  /// One sentence about the server: for example, that each check had its own sandbox.
  public let circumstances: String
  /// The results, in the order of the catalogue.
  public let results: [CheckResult]
  /// The duration of the whole run.
  public let duration: Duration

  public var passed: Int { results.count { $0.outcome == .passed } }
  public var failed: [CheckResult] { results.filter(\.hasFailed) }
  public var skipped: Int { results.count - passed - failed.count }

  /// The result of the check with this id; nil if it was not selected.
  public subscript(id: String) -> CheckResult? { results.first { $0.check.id == id } }
}

/// A check and its outcome.
public struct CheckResult: Sendable {
  public let check: CheckDescription
  public let outcome: Outcome
  public let duration: Duration

  public var hasFailed: Bool { if case .failed = outcome { true } else { false } }

  public enum Outcome: Sendable, Equatable {
    case passed
    case failed(expected: String, found: String)
    /// The check gave no result, for this reason.
    case skipped(String)
  }
}

/// A check, as described to the reader of a report.
public struct CheckDescription: Sendable {
  /// A name in kebab-case: `devices-patch-is-kept`.
  public let id: String
  /// `devices`, `activities`, `house`, `users`, `booking`, `http` or `control`.
  public let group: String
  /// The fact that must hold.
  public let sentence: String
  /// The source of the fact.
  public let source: String
  public let origin: Origin

  /// The origin of a fact.
  public enum Origin: String, Sendable, CaseIterable {
    /// A client of the real service can rely on it.
    case service
    /// This contract demands it: a standard that the real service may break, or an answer where it gave none.
    case ours
  }
}

/// The reason for which a server could not be checked at all.
public enum JudgeError: Error, Sendable, CustomStringConvertible {
  /// The address or the name of a check is invalid.
  case usage(String)
  /// The server does not accept connections.
  case cannotConnect(String)

  public var description: String {
    switch self {
    case .usage(let detail), .cannotConnect(let detail): detail
    }
  }
}

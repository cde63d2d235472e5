/// What a server was found to be: one result for each check that was asked for.
public struct Verdict: Sendable {
  /// The address that was judged.
  public let url: String
  /// What kind of server it seems to be, in one sentence: whether each check had a sandbox of its own.
  public let circumstances: String
  /// The results in the order of the catalogue.
  public let results: [CheckResult]
  /// How long it took altogether.
  public let duration: Duration

  public var passed: Int { results.count { $0.outcome == .passed } }
  public var failed: [CheckResult] { results.filter(\.hasFailed) }
  public var skipped: Int { results.count - passed - failed.count }

  /// The result of a check by its id; nil when it was not asked for.
  public subscript(id: String) -> CheckResult? { results.first { $0.check.id == id } }
}

/// A check, and what came of it.
public struct CheckResult: Sendable {
  public let check: CheckDescription
  public let outcome: Outcome
  public let duration: Duration

  public var hasFailed: Bool { if case .failed = outcome { true } else { false } }
}

/// What a check can come to.
public enum Outcome: Sendable, Equatable {
  case passed
  case failed(expected: String, found: String)
  /// Nothing was learnt, for the reason given.
  case skipped(String)
}

/// A check as a reader of a report knows it.
public struct CheckDescription: Sendable {
  /// In kebab-case: `devices-patch-is-kept`.
  public let id: String
  /// `devices`, `activities`, `house`, `users`, `booking`, `http` or `control`.
  public let group: String
  /// What must be so.
  public let sentence: String
  /// Where that is written down.
  public let source: String
}

/// Why a server could not be judged at all.
public enum JudgeError: Error, Sendable, CustomStringConvertible {
  /// The address or a name is nothing that could be meant.
  case usage(String)
  /// Nobody answers there.
  case cannotConnect(String)

  public var description: String {
    switch self {
    case .usage(let detail), .cannotConnect(let detail): detail
    }
  }
}

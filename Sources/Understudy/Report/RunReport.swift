import Contract
import JSON

/// The report cards of all sandboxes of a server, those that are gone included.
public struct RunReport: Sendable {
  let cards: [FinalCard]

  /// The worst verdict among all checks of all cards.
  public enum Worst: Int, Sendable, Comparable {
    case notExercised, pass, warn, fail

    public static func < (left: Worst, right: Worst) -> Bool { left.rawValue < right.rawValue }
  }

  public var worst: Worst {
    let verdicts = cards.flatMap { $0.card.lines.map(\.verdict) }
    return switch verdicts.max() ?? .notExercised {
    case .notExercised: .notExercised
    case .pass: .pass
    case .warn: .warn
    case .fail: .fail
    }
  }

  /// The ids of the checks that failed, each once.
  public var failedChecks: [String] {
    var ids: [String] = []
    for line in cards.flatMap(\.card.lines) where line.verdict == .fail && !ids.contains(line.id) {
      ids.append(line.id)
    }
    return ids
  }

  /// The cards of sandboxes in which something happened, for a terminal; where nothing did, the default's.
  public func text(inColor: Bool = false) -> String {
    let busy = cards.filter { $0.card.exchanges > 0 }
    let shown = busy.isEmpty ? cards.suffix(1) : busy[...]
    return shown.map { $0.card.text(inColor: inColor) }.joined(separator: "\n")
  }

  public var json: String {
    String(
      decoding: JSON.object(JSON.Object([JSON.Member("cards", .array(cards.map(\.card.json)))])).bytes(.indented),
      as: UTF8.self) + "\n"
  }

  /// One suite for each sandbox of each of several runs.
  ///
  /// - Parameter runs: Each run's report, and the name of its suites: `understudy.seed-7`.
  public static func junitXML(_ runs: [(name: String, report: RunReport)]) -> String {
    JUnit(
      suites: runs.flatMap { run in
        run.report.cards.map { JUnit.Suite($0.card, name: "\(run.name).\($0.name)") }
      }
    ).xml
  }
}

extension Understudy {
  /// What the clients did wrong up to now, worked out as if nothing more were to come.
  public func report() async -> RunReport {
    await withCheckedContinuation { continuation in
      tell { loop in continuation.resume(returning: RunReport(cards: loop.backend.allCards())) }
    }
  }
}

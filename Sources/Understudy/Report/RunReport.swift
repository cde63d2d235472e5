import Contract

/// The report cards of all sandboxes of a server, those that are gone included.
public struct RunReport: Sendable {
  let cards: [FinalCard]

  /// The worst verdict among all checks of all cards.
  public enum Worst: Int, Sendable, Comparable {
    case notExercised, pass, warn, fail

    /// The worst of some verdicts.
    init(_ verdicts: [Verdict]) {
      self =
        switch verdicts.max() ?? .notExercised {
        case .notExercised: .notExercised
        case .pass: .pass
        case .warn: .warn
        case .fail: .fail
        }
    }

    public static func < (left: Worst, right: Worst) -> Bool { left.rawValue < right.rawValue }
  }

  public var worst: Worst { Worst(cards.flatMap { $0.card.lines.map(\.verdict) }) }

  /// True if no fault struck in any sandbox: the run says nothing about failures.
  public var isIdle: Bool { cards.allSatisfy { $0.card.strikes == 0 } }

  /// The sentence that says that no fault struck; nil if one did.
  public var idleSentence: String? {
    guard isIdle else { return nil }
    var names: [String] = []
    for name in telling.map(\.card.scenario) where !names.contains(name) { names.append(name) }
    return "No rule of \(names.joined(separator: ", ")) struck: this run says nothing about failures."
  }

  /// How many requests were examined, in all sandboxes.
  public var exchanges: Int { cards.reduce(0) { $0 + $1.card.exchanges } }

  /// The cards of sandboxes in which something happened; where nothing did, the default's.
  var telling: [FinalCard] {
    let busy = cards.filter { $0.card.exchanges > 0 }
    return busy.isEmpty ? cards.suffix(1) : busy
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
    telling.map { $0.card.text(inColor: inColor) }.joined(separator: "\n")
  }
}

extension MockServer {
  /// Tells the server that the clients are about to be ended: who parts from now on has not given up.
  package func noteThatClientsAreEnded() async {
    _ = await ask { loop in loop.backend.areClientsEnded = true }
  }

  /// What the clients did wrong up to now, worked out as if nothing more were to come.
  ///
  /// - Parameter isCut: Whether they were ended: what they had yet to do is not held against them.
  /// - Returns: One card for each sandbox, deleted ones too; none at all after `stop()`.
  public func report(isCut: Bool = false) async -> RunReport {
    RunReport(cards: await ask { loop in loop.backend.allCards(isCut: isCut) } ?? [])
  }
}

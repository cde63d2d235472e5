import Contract

/// The report cards of all sandboxes of a server, including deleted ones.
public struct RunReport: Sendable {
  let cards: [FinalCard]

  /// The worst verdict among all checks of all cards.
  public enum Worst: Int, Sendable, Comparable {
    case notExercised, pass, warn, fail

    /// Returns the worst of some verdicts.
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

  public var worst: Worst { Worst(cards.map(\.card.verdict)) }

  /// True if no fault struck in any sandbox: the run says nothing about failures.
  public var isIdle: Bool { cards.allSatisfy { $0.card.strikes == 0 } }

  /// The sentence that says that no fault struck; nil if one did.
  public var idleSentence: String? {
    guard isIdle else { return nil }
    var names: [String] = []
    for name in telling.map(\.card.scenario) where !names.contains(name) { names.append(name) }
    return "No rule of \(names.joined(separator: ", ")) struck: this run says nothing about failures."
  }

  /// The number of checked requests in all sandboxes.
  public var exchanges: Int { cards.reduce(0) { $0 + $1.card.exchanges } }

  /// The cards of sandboxes with requests; if there are none, the default's.
  var telling: [FinalCard] {
    let busy = cards.filter { $0.card.exchanges > 0 }
    return busy.isEmpty ? cards.suffix(1) : busy
  }

  /// The ids of the failed checks, each once.
  public var failedChecks: [String] {
    var ids: [String] = []
    for line in cards.flatMap(\.card.lines) where line.verdict == .fail && !ids.contains(line.id) {
      ids.append(line.id)
    }
    return ids
  }

  /// Returns the cards of sandboxes with requests for a terminal; if there are none, the default's.
  public func text(inColor: Bool = false) -> String {
    telling.map { $0.card.text(inColor: inColor) }.joined(separator: "\n")
  }
}

extension MockServer {
  /// Tells the server that the clients are about to be terminated: a disconnection from now on is not the client's
  /// decision.
  package func markClientsEnded() async {
    _ = await ask { loop in loop.backend.areClientsEnded = true }
  }

  /// Returns the verdicts about the clients so far, as if no more requests will come.
  ///
  /// - Parameter isCut: True if the clients were terminated: unfinished actions do not count against them.
  /// - Returns: One card for each sandbox, including deleted ones; none after `stop()`.
  public func report(isCut: Bool = false) async -> RunReport {
    RunReport(cards: await ask { loop in loop.backend.allCards(isCut: isCut) } ?? [])
  }
}

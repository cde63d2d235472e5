import Contract
import Primitives
package import Report

/// The report cards of all sandboxes of a server, including deleted ones.
public struct RunReport: Sendable {
  package let cards: [FinalCard]
  /// The requests to an explored server, in the order of their arrival; empty for others.
  package var requests: [ExploredRequest]
  /// Sentences about the parts of a file of semantics that had no effect.
  package let semanticsNotices: [String]

  package init(cards: [FinalCard], requests: [ExploredRequest] = [], semanticsNotices: [String] = []) {
    self.cards = cards
    self.requests = requests
    self.semanticsNotices = semanticsNotices
  }

  /// The worst verdict among all checks of all cards.
  public enum Worst: Int, Sendable, Comparable {
    case notExercised, pass, warn, fail

    fileprivate init(_ verdict: Verdict) {
      self =
        switch verdict {
        case .notExercised: .notExercised
        case .pass: .pass
        case .warn: .warn
        case .fail: .fail
        }
    }

    public static func < (left: Worst, right: Worst) -> Bool { left.rawValue < right.rawValue }
  }

  public var worst: Worst { Worst(verdict) }

  /// The worst verdict among all checks of all cards.
  package var verdict: Verdict { cards.map(\.card.verdict).max() ?? .notExercised }

  /// True if no fault took effect in any sandbox: the run says nothing about failures.
  public var isIdle: Bool { cards.allSatisfy { $0.card.strikes == 0 } }

  /// The sentence that says that no fault took effect; nil if one did.
  public var idleSentence: String? { idleReason.map { $0 + "." } }

  /// The same without its full stop.
  package var idleReason: String? {
    guard isIdle else { return nil }
    let cards = cards.withRequests.map(\.card)
    let idle = Self.scenarios(of: cards.filter(\.hasRules)).map { "no rule of \($0) took effect" }
    let withoutRules = cards.filter { !$0.hasRules }
    let foreign = Self.scenarios(of: withoutRules.filter(\.leavesRulesOut)).map {
      "no rule of \($0) applies to the backend"
    }
    let calm = Self.scenarios(of: withoutRules.filter { !$0.leavesRulesOut }).map { "there is no rule in \($0)" }
    let reasons = [idle, foreign, calm].compactMap(\.self).joined(separator: ", and ")
    return reasons.prefix(1).uppercased() + reasons.dropFirst() + ": this run did not test any failure"
  }

  /// The reason why no rule took effect, although one could have on other requests: the requests that each rule chooses. A
  /// sentence without its full stop; nil if one took effect, or if none could have but at other times.
  package var missReason: String? {
    let cards = cards.withRequests.map(\.card)
    let missed = cards.flatMap(\.missedRules).distinct()
    guard isIdle, exchanges > 0, !missed.isEmpty else { return nil }
    let rules = missed.prefix(3).joined(separator: "; ") + (missed.count > 3 ? "; and \(missed.count - 3) more" : "")
    let longest = cards.map(\.longestStream).max() ?? 0
    let length = longest == 1 ? "1 request" : "\(longest) requests"
    return
      "\(idleReason ?? ""): \(rules); no path got more than \(length). understudy explore lets each request fail, whatever its number"
  }

  /// The reason why the run says nothing about its clients' backend: none of the requests to it got an answer. A sentence to be
  /// continued with the backend's address; nil if one did, or if no backend was asked.
  package var unansweredReason: String? {
    let (asked, unanswered) = cards.reduce((0, 0)) { ($0.0 + $1.card.asked, $0.1 + $1.card.unanswered) }
    guard asked > 0, unanswered == asked else { return nil }
    return asked == 1
      ? "The backend did not answer the only request" : "The backend answered none of \(asked) requests"
  }

  /// Returns the names of the cards' scenarios, each once; nil if there are none.
  private static func scenarios(of cards: [ReportCard]) -> String? {
    let names = cards.map(\.scenario).distinct()
    return names.isEmpty ? nil : names.joined(separator: ", ")
  }

  /// The number of checked requests in all sandboxes.
  public var exchanges: Int { cards.reduce(0) { $0 + $1.card.exchanges } }

  /// The ids of the failed checks, each once.
  public var failedChecks: [String] {
    cards.flatMap(\.card.checks).filter { $0.verdict == .fail }.map(\.id).distinct()
  }

  /// Returns the cards of sandboxes with requests as text; if there are none, the default's.
  ///
  /// - Parameters:
  ///   - isColored: True for a terminal that shows colours.
  ///   - width: The maximum length of a line, in characters; at least 60.
  public func text(inColor isColored: Bool = false, width: Int = 100) -> String {
    cards.text(TextStyle(isColored: isColored, width: width))
  }
}

extension MockServer {
  /// Tells the server that the clients are about to be terminated: a disconnection from now on is not the client's
  /// decision.
  package func markClientsEnded() async {
    _ = await ask { loop in loop.application.areClientsEnded = true }
  }

  /// Returns the verdicts about the clients so far, as if no more requests will come.
  ///
  /// - Parameter isCut: True if the clients were terminated: unfinished actions do not count against them.
  /// - Returns: One card for each sandbox, including deleted ones; none after `stop()`.
  public func report(isCut: Bool = false) async -> RunReport {
    RunReport(cards: await ask { loop in loop.application.state.allCards(isCut: isCut) } ?? [])
  }

  /// Stops the server, as `stop()` does, and then returns the same verdicts. They include requests whose responses were
  /// pending; those that `stop()` could not send in time count as cut by the server.
  ///
  /// - Parameter exitCode: The exit code of the command that sent the requests; nil if it is not known.
  package func stopAndReport(isCut: Bool, exitCode: Int32? = nil) async -> RunReport {
    await stop { application in
      RunReport(
        cards: application.state.allCards(isCut: isCut, exitCode: exitCode),
        requests: application.exploration?.requests ?? [], semanticsNotices: application.semanticsNotices)
    } ?? RunReport(cards: [])
  }
}

import Contract
import Faults
package import JSON

/// The verdicts about the clients of one sandbox, computed from its exchanges.
public struct ReportCard: Sendable {
  /// A check of the clients' behaviour, and its result.
  public struct Check: Sendable, Equatable, Identifiable, CustomStringConvertible {
    /// The check's name, such as `no-duplicate-effect`.
    public let id: String
    let finding: Finding
    public var verdict: Verdict { finding.verdict }
    /// The finding, and the advice for it.
    public var sentence: String { finding.sentence }
    /// The ids of the journal's entries that prove it.
    public var evidence: [Int] { finding.evidence }
    /// False for a check of the run, or of the backend.
    package var isOfClient: Bool { !CheckRunner.idsOfOthers.contains(id) }

    public var description: String {
      let entries = evidence.map { "#\($0)" }.joined(separator: ", ")
      return "\(id): \(sentence)" + (entries.isEmpty ? "" : " [journal \(entries)]")
    }
  }

  /// The mildest verdict on a client that fails a test or a run.
  public enum Threshold: String, Sendable, CaseIterable {
    case fail, warn
    /// No verdict fails the test or the run.
    case never

    package func isFailing(_ verdict: Verdict) -> Bool {
      switch self {
      case .fail: verdict == .fail
      case .warn: verdict >= .warn
      case .never: false
      }
    }
  }

  public let sandbox: String
  public private(set) var scenario: String
  public let seed: UInt64
  /// The number of exchanges that were checked.
  public let exchanges: Int
  /// The number of requests that a transport repeated by itself.
  let replays: Int
  /// True if the journal has evicted entries to which the card refers. The verdicts still count them.
  let isJournalPartial: Bool
  public private(set) var checks: [Check]
  let delays: Delays
  /// The requests that failed or had a fault, the newest last.
  var timeline: [LogicalRequest]
  /// The number of faults that took effect; nil for a card read from a file that does not say.
  package var strikes: Int?
  /// False if no scenario with rules was armed; true for a card read from a file.
  package var hasRules = true
  /// The rules that never took effect, although other requests could have met them, each with the requests that it chooses.
  package var missedRules: [String] = []
  /// The largest number of requests with one method and path.
  package var longestStream = 0
  /// True if rules of its scenario do not apply to the backend.
  package var leavesRulesOut = false
  /// The number of requests that a backend was asked, and the number of those that it did not answer.
  package var asked = 0
  package var unanswered = 0
  /// The number of successful requests to take from a counter, such as bookings, that named no record to take from.
  var idleWrites = 0
  /// The journal's entries that warnings and failures cite, and those of requests with a fault, by id, as `/_mock/journal`
  /// shows them.
  var entries: [Int: JSONValue] = [:]

  /// Returns an entry of the journal that the card contains, as `/_mock/journal` shows it.
  package func entry(_ id: Int) -> JSONValue? { entries[id] }

  /// The worst verdict on the client.
  package var verdict: Verdict { checks.filter(\.isOfClient).map(\.verdict).max() ?? .notExercised }

  /// The ids of the entries that prove its warnings and failures.
  var citedIDs: Set<Int> { Set(checks.filter { $0.verdict > .pass }.flatMap(\.finding.evidence)) }

  /// The ids of the newest attempts that had a fault: their entries show what the client received, even if it coped.
  var faultedIDs: Set<Int> {
    Set(timeline.flatMap(\.attempts).filter { $0.plan.fault != nil }.map(\.id).sorted().suffix(Self.maximumFaulted))
  }

  private static let maximumFaulted = 60

  /// Drops the requests of its timeline but the newest of them, and the entries of those that it drops.
  package mutating func truncateTimeline() {
    timeline = timeline.suffix(Self.maximumStoredRequests)
    let shown = citedIDs.union(faultedIDs)
    entries = entries.filter { shown.contains($0.key) }
  }

  /// Names a fault that no scenario has. The check that faults were met drops out: it knows only the scenario's.
  package mutating func name(faultBesideScenario fault: String) {
    scenario += " and " + fault
    checks.removeAll { $0.id == FaultsDelivered.id }
  }

  /// The number of requests in the timeline of a stored card.
  static let maximumStoredRequests = 20
}

extension CheckRunner {
  /// Returns the card of a sandbox.
  ///
  /// - Parameters:
  ///   - sandbox: The sandbox's name.
  ///   - scenario: The name of its scenario.
  ///   - isJournalPartial: True if its journal has evicted entries.
  ///   - rest: The exchanges that ended, and are not judged because an earlier one is under way.
  ///   - entry: Returns an entry of its journal as JSON, for the card to contain; nil where it has none.
  package func card(
    of sandbox: String, scenario: String, seed: UInt64, delays: Delays, isJournalPartial: Bool,
    at context: CheckContext, rest: [Observation], entry: (Int) -> JSONValue?
  ) -> ReportCard {
    let runner = completed(with: rest)
    let (findings, timeline) = runner.findings(context)
    var card = ReportCard(
      sandbox: sandbox, scenario: scenario, seed: seed, exchanges: runner.exchanges, replays: runner.replays,
      isJournalPartial: isJournalPartial,
      checks: findings.map { ReportCard.Check(id: $0.id, finding: $0.finding) }, delays: delays,
      timeline: timeline, strikes: runner.strikes, idleWrites: runner.idleWrites)
    (card.hasRules, card.leavesRulesOut) = (runner.hasRules, runner.leavesRulesOut)
    card.missedRules = runner.missedRules
    (card.asked, card.unanswered) = (runner.asked, runner.unanswered)
    for id in card.citedIDs.union(card.faultedIDs) { card.entries[id] = entry(id) }
    return card
  }
}

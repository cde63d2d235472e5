import Contract
import Faults

/// The checks of a sandbox with the history that they share, and a card at any time.
///
/// It sees each exchange once, in the order in which the requests came, and events between the exchanges. It never looks
/// back at what it has judged, so a journal that has evicted entries does not falsify a verdict.
package struct CheckRunner: Sendable {
  /// Longer targets are truncated.
  static let maximumTargetBytes = 200

  /// The one list of all checks, in the order of the card: a check stands here, and nowhere else.
  static let all: [any ReportCheck] = [
    RetryAmplification(), BackoffGrows(), BackoffJitter(), RetryAfterHonoured(), NoRetryOf4xx(), NoDuplicateEffect(),
    KeyReuse(), LostUpdate(), LostReplyFollowedUp(), DamagedReplyTrusted(), GaveUpAtOnce(), StreamResumed(),
    ConditionalRequests(), Freshness(), PollingInterval(), RequestsInALoop(), NoStampede(), TimeoutsSane(),
    KeysKept(), FaultsDelivered(),
  ]

  /// The ids of the checks that judge something other than clients.
  package static let idsOfOthers = Set(all.map { type(of: $0) }.filter { $0.subject != .client }.map { $0.id })

  /// The interest of each check, asked once, because each exchange is compared with all of them.
  private static let interests = all.map(\.interest)

  /// The id of the first exchange that concerns it: what was under way when a reset came does not.
  package let firstID: Int
  private var history = History()
  /// The tally of each check.
  private var tallies = Array(repeating: Tally(), count: all.count)
  /// The indices of the tallies that have had open mistakes.
  private var open: [Int] = []
  /// The number of exchanges.
  package private(set) var exchanges = 0
  /// The number of exchanges that a client's transport repeated.
  private(set) var replays = 0
  /// The number of times that a fault hit an exchange or a connection, or that rivals moved.
  private(set) var strikes = 0

  /// The number of successful requests to take from a counter that named no record to take from.
  private(set) var idleWrites = 0

  /// The number of requests that a backend was asked, and the number of those that it did not answer.
  private(set) var asked = 0
  private(set) var unanswered = 0

  /// True if a scenario with rules was armed.
  var hasRules: Bool { history.rules.hasRules }

  /// The rules that never took effect, although other requests could have met them.
  var missedRules: [String] { history.rules.missed }

  /// True if rules of the scenario do not apply to the backend.
  var leavesRulesOut: Bool { !history.rules.inapplicable.isEmpty }

  package init(firstID: Int = 1) { self.firstID = firstID }

  /// Judges an exchange.
  package mutating func judge(_ seen: Observation) {
    guard !seen.isIncomplete else { return history.addIncomplete(seen) }
    exchanges += 1
    if seen.isPlanned, seen.outcome != .notDeliverable { strikes += 1 }
    if seen.replayOf != nil { replays += 1 }
    if seen.takesNothing { idleWrites += 1 }
    if let isAnswered = seen.entry.isAnswered {
      asked += 1
      if !isAnswered { unanswered += 1 }
    }
    var facts = Facts()
    history.add(seen, &facts)
    judge(seen, facts)
    if history.hasFates { judgeFates() }
    for index in open { tallies[index].decide(by: seen, history) }
  }

  private mutating func judge(_ seen: Observation, _ facts: Facts) {
    let traits = seen.traits.union(facts.traits)
    for index in Self.interests.indices where !Self.interests[index].isDisjoint(with: traits) {
      Self.all[index].judge(seen, facts, &tallies[index])
      noteOpen(index)
    }
  }

  private mutating func noteOpen(_ index: Int) {
    if tallies[index].isOpen, !open.contains(index) { open.append(index) }
  }

  private mutating func judgeFates() {
    for fate in history.takeFates() {
      for index in Self.all.indices {
        Self.all[index].judge(fate, &tallies[index])
        noteOpen(index)
      }
    }
  }

  /// Records an event, after the exchanges that ended before it.
  package mutating func record(_ event: SandboxEvent) {
    switch event {
    case .refused, .rival: strikes += 1
    case .armed, .streamEnded, .replaced: break
    }
    history.record(event)
  }

  /// Returns the checks as if nothing were under way: all that has ended is judged as it is.
  ///
  /// - Parameter rest: The exchanges that wait for an earlier one.
  func completed(with rest: [Observation]) -> CheckRunner {
    var complete = self
    for seen in rest { complete.judge(seen) }
    return complete
  }

  /// Returns the findings in the order of the card, and the requests that failed or had a fault.
  func findings(_ context: CheckContext) -> (findings: [(id: String, finding: Finding)], timeline: [LogicalRequest]) {
    var final = self
    final.history.conclude(at: context)
    final.judgeFates()
    for index in final.open { final.tallies[index].conclude() }
    let findings = Self.all.indices.map { index in
      let check = Self.all[index]
      guard !check.needsState || !history.isStateUnknown else {
        return (type(of: check).id, Finding(.notExercised, "The backend's state is not known."))
      }
      return (type(of: check).id, check.finding(final.tallies[index], history))
    }
    return (findings, history.requests.timeline)
  }
}

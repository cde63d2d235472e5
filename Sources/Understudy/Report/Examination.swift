import Contract
import Faults

/// What a sandbox knows of its client: fed one observation for each exchange that has ended, asked for a card at any
/// time.
///
/// It never looks back into the journal, so a journal that has pushed entries out does not make it lie. Each check and
/// table is bounded on its own; all of it together stays under some 10 MB however long a run lasts.
struct Examination: Sendable {
  /// The first id that belongs to it: what was under way when a reset came does not.
  private let firstID: Int
  private(set) var requests = LogicalRequests()
  private(set) var exchanges = 0
  private(set) var replays = 0
  /// The number of times that a fault hit an exchange or a connection, or that rivals moved.
  private(set) var strikes = 0
  private var audit = AcknowledgedWritesKept()
  private var checks: [any Check] = [
    RetryAmplification(), NoRetryOf4xx(), NoDuplicateEffect(), LostReplyFollowedUp(), ConditionalRequests(),
    PollingInterval(), TimeoutsSane(), FaultsDelivered(),
  ]
  /// Those to which nothing but a retry says anything.
  private var checksOfRetries: [any Check] = [BackoffGrows(), BackoffJitter(), RetryAfterHonoured(), NoStampede()]

  /// In the order of the card; `acknowledged-writes-kept` stands apart because the history is asked of it too.
  static let ids = [
    RetryAmplification.id, BackoffGrows.id, BackoffJitter.id, RetryAfterHonoured.id, NoRetryOf4xx.id,
    NoDuplicateEffect.id, LostReplyFollowedUp.id, AcknowledgedWritesKept.id, ConditionalRequests.id,
    PollingInterval.id, NoStampede.id, TimeoutsSane.id, FaultsDelivered.id,
  ]

  init(firstID: Int = 1) { self.firstID = firstID }

  mutating func observe(_ seen: Observation) {
    guard seen.id >= firstID else { return }
    exchanges += 1
    if seen.replayOf != nil { replays += 1 }
    if !seen.plan.isCalm, seen.outcome != .notDeliverable { strikes += 1 }
    let trial = requests.place(seen)
    audit.observe(seen, trial)
    for place in checks.indices { checks[place].observe(seen, trial) }
    guard case .retry = trial else { return }
    for place in checksOfRetries.indices { checksOfRetries[place].observe(seen, trial) }
  }

  mutating func note(_ event: SandboxEvent) {
    switch event {
    case .refused, .rival: strikes += 1
    case .armed, .replaced: break
    }
    audit.note(event)
    for place in checks.indices { checks[place].note(event) }
    for place in checksOfRetries.indices { checksOfRetries[place].note(event) }
  }

  var history: History { audit.history }

  /// The findings in the order of the card.
  func findings(_ moment: Judgement) -> [(id: String, finding: Finding)] {
    var found = [AcknowledgedWritesKept.id: audit.finding(moment)]
    for check in checks + checksOfRetries { found[type(of: check).id] = check.finding(moment) }
    return Self.ids.compactMap { id in found[id].map { (id, $0) } }
  }
}

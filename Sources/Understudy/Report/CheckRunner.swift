import Contract
import Faults

/// A sandbox's knowledge about its clients: updated with one observation for each finished exchange, and able to return
/// a card at any time.
///
/// Exchanges end in another order than they came in: a write that was only slow ends after the one that was sent in its
/// place. They are judged in the order in which they came, so what ends while an earlier one is under way waits for that,
/// within bounds.
///
/// It never looks back into the journal, so a journal that has pushed entries out does not make it lie. Each check and
/// table is bounded on its own; all of it together stays under some 10 MB however long a run lasts.
struct CheckRunner: Sendable {
  /// So many wait for earlier ones at most.
  static let maximumWaiting = 256

  /// The first id that belongs to it: what was under way when a reset came does not.
  private let firstID: Int
  private(set) var requests = LogicalRequests()
  private(set) var exchanges = 0
  private(set) var replays = 0
  /// The ids of exchanges that are under way, and of those that have ended behind them, in their order.
  private var underWay: [Int] = []
  private var waiting: [Observation] = []
  /// The number of times that a fault hit an exchange or a connection, or that rivals moved.
  private(set) var strikes = 0
  private var audit = AcknowledgedWritesKept()
  private var checks: [any Check] = Self.allChecks
  /// Those to which nothing but a retry says anything.
  private var checksOfRetries: [any Check] = Self.allChecksOfRetries

  /// All checks but the audit. A check stands here, or below, and nowhere else.
  private static let allChecks: [any Check] = [
    RetryAmplification(), NoRetryOf4xx(), NoDuplicateEffect(), LostReplyFollowedUp(), DamagedReplyTrusted(),
    GaveUpAtOnce(), ConditionalRequests(), Freshness(), PollingInterval(), RetryAfterHonoured(), TimeoutsSane(),
    KeyReuse(), LostUpdate(), FaultsDelivered(),
  ]
  private static let allChecksOfRetries: [any Check] = [BackoffGrows(), BackoffJitter(), NoStampede()]

  /// The ids of all checks in the order of the card; `acknowledged-writes-kept` stands apart because the history is asked
  /// of it too.
  static let ids: [String] = {
    let rest = (allChecks + allChecksOfRetries).map { type(of: $0) }
    let known: [any Check.Type] = rest + [AcknowledgedWritesKept.self]
    return known.sorted { $0.rank < $1.rank }.map { $0.id }
  }()

  init(firstID: Int = 1) { self.firstID = firstID }

  /// Takes note that an exchange has come.
  mutating func begin(_ id: Int) { underWay.append(id) }

  /// Takes note that an exchange ended of which there is nothing to judge.
  mutating func skip(_ id: Int) {
    end(id)
    release()
  }

  mutating func observe(_ seen: Observation) {
    guard seen.id >= firstID else { return }
    exchanges += 1
    if !seen.plan.isEmpty, seen.outcome != .notDeliverable { strikes += 1 }
    if seen.replayOf != nil { replays += 1 }
    end(seen.id)
    guard let first = underWay.first, first < seen.id else {
      judge(seen)
      return release()
    }
    let place = waiting.lastIndex { $0.id < seen.id }.map { $0 + 1 } ?? 0
    waiting.insert(seen, at: place)
    if waiting.count > Self.maximumWaiting { judge(waiting.removeFirst()) }
  }

  private mutating func end(_ id: Int) {
    if let place = underWay.firstIndex(of: id) { underWay.remove(at: place) }
  }

  /// Judges what waits for no earlier exchange any more.
  private mutating func release() {
    guard !waiting.isEmpty else { return }
    let first = underWay.first ?? .max
    let ready = waiting.prefix { $0.id < first }
    waiting.removeFirst(ready.count)
    for seen in ready { judge(seen) }
  }

  /// The examination as if nothing were under way: what waits is judged as it is.
  private var complete: CheckRunner {
    guard !waiting.isEmpty else { return self }
    var complete = self
    complete.underWay = []
    complete.release()
    return complete
  }

  private mutating func judge(_ observation: Observation) {
    var seen = observation
    let trial = requests.place(&seen)
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

  var history: History { complete.audit.history }
  var timeline: [LogicalRequest] { complete.requests.timeline }

  /// Returns the findings in the order of the card.
  func findings(_ moment: CheckContext) -> [(id: String, finding: Finding)] {
    let complete = complete
    var found = [AcknowledgedWritesKept.id: complete.audit.finding(moment)]
    for check in complete.checks + complete.checksOfRetries { found[type(of: check).id] = check.finding(moment) }
    return Self.ids.compactMap { id in found[id].map { (id, $0) } }
  }
}

import Contract
import Faults

/// The checks of a sandbox with what they know about its clients, and a card at any time.
///
/// They see each exchange once, in the order in which the requests came, and events between the exchanges. They never
/// look back at what they have judged, so a journal that has evicted records does not make them lie. Each check and
/// table is bounded on its own; all of it together stays under some 10 MB however long a run lasts.
package struct CheckRunner: Sendable {
  /// Longer targets are truncated.
  static let maximumTargetBytes = 200

  /// The one list of all checks, in the order of the card: a check stands here, and nowhere else.
  static let all: [any Check] = [
    RetryAmplification(), BackoffGrows(), BackoffJitter(), RetryAfterHonoured(), NoRetryOf4xx(), NoDuplicateEffect(),
    KeyReuse(), LostUpdate(), LostReplyFollowedUp(), DamagedReplyTrusted(), GaveUpAtOnce(), StreamResumed(),
    ConditionalRequests(), Freshness(), PollingInterval(), NoStampede(), TimeoutsSane(), FaultsDelivered(),
  ]

  /// The id of the first exchange that concerns it: what was under way when a reset came does not.
  package let firstID: Int
  private var requests = LogicalRequests()
  private var unnamed = UnnamedClients()
  /// The number of exchanges.
  package private(set) var exchanges = 0
  /// The number of exchanges that a client's transport repeated.
  private(set) var replays = 0
  /// The number of times that a fault hit an exchange or a connection, or that rivals moved.
  private(set) var strikes = 0
  private var checks = all
  private var interests = Interests(all.map(\.interest))

  package init(firstID: Int = 1) { self.firstID = firstID }

  /// Judges an exchange.
  package mutating func judge(_ seen: Observation) {
    let role = requests.classify(seen)
    exchanges += 1
    if seen.isPlanned, seen.outcome != .notDeliverable { strikes += 1 }
    if seen.replayOf != nil { replays += 1 }
    unnamed.observe(seen)
    for index in interests.checks(for: seen.traits.union(role.attempt.traits)) {
      interests.set(checks[index].consider(seen, role), of: index)
    }
  }

  /// Records an event, after the exchanges that ended before it.
  package mutating func record(_ event: SandboxEvent) {
    switch event {
    case .refused, .rival: strikes += 1
    case .armed, .streamEnded, .replaced: break
    }
    for index in checks.indices {
      checks[index].record(event)
      interests.set(checks[index].interest, of: index)
    }
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
    var context = context
    context.requests = requests.count
    context.unnamed = unnamed
    return (checks.map { (type(of: $0).id, $0.finding(context)) }, requests.timeline)
  }
}

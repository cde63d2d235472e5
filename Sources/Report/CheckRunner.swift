import Contract
import Faults

/// A sandbox's knowledge about its clients: what each exchange left, judged in batches, and a card at any time.
///
/// Of an exchange that ends only the id is written down. The checks see its record with the next batch, before the next
/// event, when a reader asks, or before the journal evicts it: whichever comes first, so an event stands in its place
/// between the exchanges.
///
/// Exchanges end in another order than they came in: a write that was only slow ends after the one that was sent in its
/// place. They are judged in the order in which they came, so what ends while an earlier one is under way waits for that,
/// within bounds.
///
/// It never looks back at what it has judged, so a journal that has evicted records does not make it lie. Each check and
/// table is bounded on its own; all of it together stays under some 10 MB however long a run lasts.
package struct CheckRunner: Sendable {
  /// So many wait for earlier ones at most, when a batch is judged.
  static let maximumWaiting = 256
  /// The number of exchanges in a batch: few enough for a turn of the loop.
  static let batch = 64
  /// Longer targets are truncated.
  static let maximumTargetBytes = 200

  /// The one list of all checks, in the order of the card: a check stands here, and nowhere else.
  static let all: [any Check] = [
    RetryAmplification(), BackoffGrows(), BackoffJitter(), RetryAfterHonoured(), NoRetryOf4xx(), NoDuplicateEffect(),
    KeyReuse(), LostUpdate(), LostReplyFollowedUp(), DamagedReplyTrusted(), GaveUpAtOnce(), AcknowledgedWritesKept(),
    StreamResumed(),
    ConditionalRequests(), Freshness(), PollingInterval(), NoStampede(), TimeoutsSane(), FaultsDelivered(),
  ]

  /// The ids of all checks in the order of the card.
  static let ids = all.map { type(of: $0).id }

  /// The first id that belongs to it: what was under way when a reset came does not.
  private let firstID: Int
  private var requests = LogicalRequests()
  private var unnamed = UnnamedClients()
  package private(set) var exchanges = 0
  private(set) var replays = 0
  /// The number of times that a fault hit an exchange or a connection, or that rivals moved.
  private(set) var strikes = 0
  /// The ids of exchanges that are under way, in the order in which they came.
  private var underWay: [Int] = []
  /// The ids of those that ended and are not judged yet, in the order in which they came.
  package private(set) var waiting: [Int] = []
  /// The number of those at which the next batch is judged.
  private var due = batch
  /// The clients seen last, by their hashes.
  private var clients = RecentTable<Observation.Client>(capacity: 1_024)
  /// The last of them; it mostly sent the next exchange, too.
  private var lastClient = Observation.Client(0, [], at: "")
  /// The address of the last unnamed client with its hash; it is mostly that of the next one too.
  private var lastPeer = (name: "", hash: Observation.hash(""))
  private var checks = all
  /// The traits in which each check is interested now.
  private var interests = all.map(\.interest)
  /// The values before each reset that may still be reverted, the newest last.
  private var earlier: [CheckRunner] = []

  package init(firstID: Int = 1) { self.firstID = firstID }

  /// True if a batch is complete.
  package var isBatchComplete: Bool { waiting.count >= due }

  /// True if the exchange has come since its sandbox was made or reset, or before a reset that may be reverted.
  package func concerns(_ id: Int) -> Bool { id >= firstID || earlier.contains { $0.firstID <= id } }

  /// The ids of all that ended and are not judged yet, those before resets that may be reverted included.
  package var unjudged: [Int] { earlier.isEmpty ? waiting : earlier.flatMap(\.waiting) + waiting }

  /// Records that an exchange has come.
  package mutating func begin(_ id: Int) { underWay.append(id) }

  /// Records that an exchange ended of which there is nothing to judge.
  package mutating func skip(_ id: Int) {
    guard id >= firstID else { return changeEarlier(id) { $0.skip(id) } }
    if underWay.last == id {
      underWay.removeLast()
    } else if let index = underWay.firstIndex(of: id) {
      underWay.remove(at: index)
    }
  }

  /// Records that an exchange ended.
  ///
  /// - Parameters:
  ///   - isStruck: True if a fault hit it.
  ///   - isReplay: True if a client's transport repeated an earlier one.
  package mutating func end(_ id: Int, isStruck: Bool, isReplay: Bool) {
    guard id >= firstID else { return changeEarlier(id) { $0.end(id, isStruck: isStruck, isReplay: isReplay) } }
    skip(id)
    exchanges += 1
    if isStruck { strikes += 1 }
    if isReplay { replays += 1 }
    if waiting.isEmpty || waiting[waiting.count - 1] < id {
      waiting.append(id)
    } else {
      waiting.insert(id, at: waiting.firstIndex { $0 > id } ?? waiting.count)
    }
  }

  /// Changes the checks to which an exchange from before a reset belongs, while that may be reverted.
  private mutating func changeEarlier(_ id: Int, _ change: (inout CheckRunner) -> Void) {
    if let index = earlier.lastIndex(where: { $0.firstID <= id }) { change(&earlier[index]) }
  }

  /// Returns a client.
  ///
  /// - Parameters:
  ///   - text: The client's own identification; nil if there is none.
  ///   - peer: The client's address.
  package mutating func client(_ text: ArraySlice<UInt8>?, isNamed: Bool, at peer: String) -> Observation.Client {
    var hash = text.map { Observation.hash($0) } ?? 0
    if !isNamed {
      if peer != lastPeer.name { lastPeer = (peer, Observation.hash(peer)) }
      hash = lastPeer.hash.mixed(with: hash)
    }
    if hash == lastClient.hash, isNamed == lastClient.isNamed { return lastClient }
    if let index = clients.index(of: hash) {
      lastClient = clients.values[index]
    } else {
      lastClient = Observation.Client(hash, text ?? [], isNamed: isNamed, at: peer)
      clients[hash] = lastClient
    }
    return lastClient
  }

  /// Judges what waits for no earlier exchange any more, and of the rest what is too much.
  ///
  /// - Parameter observation: Shows an exchange by its id.
  package mutating func judge(_ observation: (Int, inout Observation) -> Void) {
    guard let last = waiting.last else { return }
    let first = underWay.first ?? .max
    let ready = first > last ? waiting.count : waiting.firstIndex { $0 > first } ?? waiting.count
    judge(max(ready, waiting.count - Self.maximumWaiting), observation)
  }

  /// Judges the exchanges up to an id, though earlier ones are under way: their records are about to be evicted.
  package mutating func judge(through id: Int, _ observation: (Int, inout Observation) -> Void) {
    judge(waiting.firstIndex { $0 > id } ?? waiting.count, observation)
  }

  private mutating func judge(_ count: Int, _ observation: (Int, inout Observation) -> Void) {
    guard count > 0 else { return }
    var seen = Observation()
    for index in 0..<count {
      observation(waiting[index], &seen)
      judge(&seen)
    }
    waiting.removeFirst(count)
    due = waiting.count + Self.batch
  }

  private mutating func judge(_ seen: inout Observation) {
    unnamed.observe(seen)
    let kind = requests.classify(&seen)
    let traits = seen.traits.union(kind.traits)
    for index in checks.indices where !interests[index].isDisjoint(with: traits) {
      interests[index] = checks[index].consider(seen, kind)
    }
  }

  /// Records an event, after the exchanges that ended before it.
  package mutating func record(_ event: SandboxEvent, after observation: (Int, inout Observation) -> Void) {
    judge(observation)
    switch event {
    case .refused, .rival: strikes += 1
    case .armed, .replaced, .streamEnded: break
    }
    for index in checks.indices {
      checks[index].record(event)
      interests[index] = checks[index].interest
    }
  }

  /// Starts again with the exchanges from an id on, until the reset is confirmed or reverted.
  package mutating func reset(firstID: Int) {
    var before = self
    let earlier = before.earlier
    before.earlier = []
    self = CheckRunner(firstID: firstID)
    self.earlier = earlier + [before]
  }

  /// Discards what the oldest unconfirmed reset replaced.
  package mutating func confirmReset() {
    if !earlier.isEmpty { earlier.removeFirst() }
  }

  /// Returns to the checks before the newest unconfirmed reset; they continue with the exchanges since then that are
  /// under way or not judged yet.
  ///
  /// - Parameter isStored: Returns true if the record of an exchange has not been evicted.
  package mutating func revertReset(_ isStored: (Int) -> Bool) {
    guard var before = earlier.popLast() else { return }
    before.earlier = earlier
    before.underWay += underWay
    before.waiting = (before.waiting + waiting).filter(isStored)
    before.exchanges += exchanges
    before.strikes += strikes
    before.replays += replays
    self = before
  }

  /// Returns the checks as if nothing were under way: all that has ended is judged as it is.
  ///
  /// - Parameter rest: The exchanges that wait for an earlier one.
  private func complete(_ rest: [Observation]) -> CheckRunner {
    guard !rest.isEmpty else { return self }
    var complete = self
    for var seen in rest { complete.judge(&seen) }
    return complete
  }

  /// Returns the history of the audited records; the audit has it.
  package func history(_ rest: [Observation]) -> History {
    complete(rest).checks.lazy.compactMap { ($0 as? AcknowledgedWritesKept)?.history }.first ?? History()
  }

  /// Returns the findings in the order of the card, and the requests that failed or had a fault.
  func findings(
    _ context: CheckContext, _ rest: [Observation]
  ) -> (findings: [(id: String, finding: Finding)], timeline: [LogicalRequest]) {
    let complete = complete(rest)
    var context = context
    context.requests = complete.requests.count
    context.unnamed = complete.unnamed
    return (complete.checks.map { (type(of: $0).id, $0.finding(context)) }, complete.requests.timeline)
  }
}

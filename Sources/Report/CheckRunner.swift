import Contract
import Faults

/// A sandbox's knowledge about its clients: what each exchange left, judged in batches, and a card at any time.
///
/// An exchange that ends is only written down. The checks see it with the next batch, before the next event, or when a
/// reader asks: whichever comes first, so an event stands in its place between the exchanges.
///
/// Exchanges end in another order than they came in: a write that was only slow ends after the one that was sent in its
/// place. They are judged in the order in which they came, so what ends while an earlier one is under way waits for that,
/// within bounds.
///
/// It never looks back into the journal, so a journal that has pushed entries out does not make it lie. Each check and
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
  /// Those that ended and are not judged yet, in the order in which they came.
  private var ended: [Observation] = []
  /// Their targets, each in the range `Observation.targetRange`.
  private var targets: [UInt8] = []
  /// The number of those at which the next batch is judged.
  private var due = batch
  /// The clients seen last, by their hashes.
  private var clients = RecentTable<Observation.Client>(capacity: 1_024)
  /// The address of the last unnamed client with its hash; it is mostly that of the next one too.
  private var lastPeer = (name: "", hash: Observation.hash(""))
  private var checks = all
  /// The traits in which each check is interested now.
  private var interests = all.map(\.interest)
  /// The values before each reset that may still be reverted, the newest last.
  private var earlier: [CheckRunner] = []

  package init(firstID: Int = 1) { self.firstID = firstID }

  /// The number of exchanges that ended and are not judged yet.
  package var waitingCount: Int { ended.count }

  /// Records that an exchange has come.
  package mutating func begin(_ id: Int) { underWay.append(id) }

  /// Records that an exchange ended of which there is nothing to judge.
  package mutating func skip(_ id: Int) {
    if underWay.last == id {
      underWay.removeLast()
    } else if let index = underWay.firstIndex(of: id) {
      underWay.remove(at: index)
    }
  }

  /// Writes down what an exchange left, with the client that its request names.
  ///
  /// - Parameters:
  ///   - text: The client's own identification; nil if there is none.
  ///   - isNamed: True if that is its `Understudy-Client`.
  ///   - peer: The client's address.
  ///   - target: The request's target.
  package mutating func observe(
    _ seen: consuming Observation, by text: ArraySlice<UInt8>?, isNamed: Bool, at peer: String,
    target: ArraySlice<UInt8>
  ) {
    seen.isNamed = isNamed
    seen.identify(as: client(text, isNamed: isNamed, at: peer))
    seen.identify()
    observe(consume seen, target)
  }

  /// Writes down what an exchange left.
  mutating func observe(_ seen: consuming Observation, _ target: ArraySlice<UInt8>) {
    let id = seen.id
    skip(id)
    guard id >= firstID else {
      // While the reset may be reverted, an exchange from before it belongs to the checks of that time.
      if let index = earlier.lastIndex(where: { $0.firstID <= id }) { earlier[index].observe(seen, target) }
      return
    }
    exchanges += 1
    if seen.isPlanned, seen.outcome != .notDeliverable { strikes += 1 }
    if seen.replayOf != nil { replays += 1 }
    let start = targets.count
    targets.append(contentsOf: target.prefix(Self.maximumTargetBytes))
    seen.targetRange = start..<targets.count
    if ended.isEmpty || ended[ended.count - 1].id < id {
      ended.append(seen)
    } else {
      ended.insert(seen, at: ended.firstIndex { $0.id > id } ?? ended.count)
    }
    if ended.count >= due { judge() }
  }

  /// Returns a client.
  ///
  /// - Parameters:
  ///   - text: The client's own identification; nil if there is none.
  ///   - peer: The client's address.
  mutating func client(_ text: ArraySlice<UInt8>?, isNamed: Bool, at peer: String) -> Observation.Client {
    var hash = text.map { Observation.hash($0) } ?? 0
    if !isNamed {
      if peer != lastPeer.name { lastPeer = (peer, Observation.hash(peer)) }
      hash = lastPeer.hash.mixed(with: hash)
    }
    if let index = clients.index(of: hash) { return clients.values[index] }
    let client = Observation.Client(hash, text ?? [], at: peer)
    clients[hash] = client
    return client
  }

  /// Judges what waits for no earlier exchange any more, and of the rest what is too much.
  package mutating func judge() {
    guard !ended.isEmpty else { return }
    let first = underWay.first ?? .max
    let ready = first > ended[ended.count - 1].id ? ended.count : ended.firstIndex { $0.id > first } ?? ended.count
    judge(max(ready, ended.count - Self.maximumWaiting))
  }

  private mutating func judge(_ count: Int) {
    // Moved out and back, so that nothing is copied.
    var batch: [Observation] = []
    swap(&batch, &ended)
    for index in 0..<count {
      batch[index].target = targets[batch[index].targetRange]
      judge(&batch[index])
    }
    if count == batch.count {
      batch.removeAll(keepingCapacity: true)
      targets.removeAll(keepingCapacity: true)
    } else {
      batch.removeFirst(count)
      compactTargets(of: &batch)
    }
    swap(&batch, &ended)
    due = ended.count + Self.batch
  }

  private mutating func compactTargets(of batch: inout [Observation]) {
    var compacted: [UInt8] = []
    for index in batch.indices {
      let start = compacted.count
      compacted += targets[batch[index].targetRange]
      batch[index].targetRange = start..<compacted.count
    }
    targets = compacted
  }

  private mutating func judge(_ seen: inout Observation) {
    unnamed.observe(seen)
    let kind = requests.classify(&seen)
    let traits = seen.traits.union(kind.traits)
    for index in checks.indices where !interests[index].isDisjoint(with: traits) {
      interests[index] = checks[index].consider(seen, kind)
    }
  }

  package mutating func record(_ event: SandboxEvent) {
    judge()
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
  package mutating func revertReset() {
    guard var before = earlier.popLast() else { return }
    before.earlier = earlier
    for id in underWay { before.begin(id) }
    for seen in ended { before.observe(seen, targets[seen.targetRange]) }
    self = before
  }

  /// The checks as if nothing were under way: all that has ended is judged as it is.
  private var complete: CheckRunner {
    guard !ended.isEmpty else { return self }
    var complete = self
    complete.judge(ended.count)
    return complete
  }

  /// The history of the audited records; the audit has it.
  package var history: History {
    complete.checks.lazy.compactMap { ($0 as? AcknowledgedWritesKept)?.history }.first ?? History()
  }

  var timeline: [LogicalRequest] { complete.requests.timeline }

  /// Returns the findings in the order of the card.
  func findings(_ context: CheckContext) -> [(id: String, finding: Finding)] {
    let complete = complete
    var context = context
    context.requests = complete.requests.count
    context.unnamed = complete.unnamed
    return complete.checks.map { (type(of: $0).id, $0.finding(context)) }
  }
}

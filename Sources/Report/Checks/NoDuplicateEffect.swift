import Contract
import Primitives

/// Checks that no write took effect twice because its client sent it again, and no `Idempotency-Key` held the two together.
///
/// The first need not have been lost: it may only have been slow, or have been sent beside the second in case. A fresh key
/// for each attempt is as good as none. A client that comes back with the first key later had meant another write by the fresh
/// one.
///
/// It counts what is done once more each time: a write that sets the same again changes nothing, and is right. A client
/// that looks, and waits for what it sees, before it writes again has decided anew. What a transport repeats by itself its
/// client did not choose, and where a whole 2xx arrived, or two people may be behind it, it may be meant: that is a
/// warning. So it is where a client has no name, and may be several: by its connections, or because only one of the two
/// writes had a key.
struct NoDuplicateEffect: Check {
  static let id = "no-duplicate-effect"
  static let maximumSuspects = 256
  /// A request sent sooner after the first one was sent in parallel on purpose.
  static let together = Duration.milliseconds(50)
  static let patience = Duration.seconds(60)

  private var exposed = 0
  private var doubled = 0
  private var byTransport = 0
  private var doubtful = 0
  private var example = ""
  private var mayBeSeveralClients = false
  private var evidence = Evidence()
  /// The newest write, and the newest whose effect was lost when the state was replaced.
  private var newest = 0
  private var replaced = 0
  private var suspects: [Suspect] = []
  /// The writes that took effect twice for each client without a name.
  private var unnamed = RecentTable<Unnamed>(capacity: 256)
  /// The last applied write of each kind and client.
  private var applied = RecentTable<Applied>(capacity: 256)
  /// The writes that were applied and lost, by address and meaning.
  private var lost = RecentTable<Applied>(capacity: 256)

  /// A write under a fresh key that looks like the repetition of another.
  private struct Suspect: Sendable {
    let client: UInt64
    let key: UInt64
    let first: Int
    let second: Int
    let request: String
    /// False if the two writes may be two clients'.
    let isNamed: Bool
  }

  private struct Unnamed: Sendable {
    let client: UInt64
    let request: String
    var count = 0
    var evidence = Evidence()
  }

  private struct Applied: Sendable {
    let id: Int
    let client: UInt64
    let isNamed: Bool
    let key: UInt64?
    let connection: Int
    let arrival: MonotonicInstant
    let end: MonotonicInstant
    /// True if its client has come back with its key.
    var isFollowed = false
  }

  var interest: Traits { .write }

  mutating func observe(_ seen: Observation, _ role: LogicalRequests.Role) {
    guard seen.isWrite, let intent = seen.intent else { return }
    newest = max(newest, seen.id)
    if let key = seen.key {
      suspects.removeAll { $0.client == seen.client && $0.key == key }
      if !seen.isNamed { follow(key, seen, intent) }
    }
    switch role.attempt {
    case .first: break
    case .replay(let request):
      guard let request else { return }
      exposed += 1
      guard seen.isApplied, !intent.overwrites, let first = effects(of: request).last else { return }
      byTransport += 1
      record(first.id, seen)
    case .retry(let request, _, _):
      guard !request.wasReread(before: seen.arrival) else { break }
      exposed += 1
      guard seen.isApplied, !intent.overwrites, let first = effects(of: request).first else { break }
      if request.isAnswered { return countDoubtful(first.id, seen) }
      if let key = first.key, seen.key != nil { return suspect(first.id, key, seen) }
      // A client sends all its writes with keys, or none.
      let isSure = seen.isNamed || first.key == nil && seen.key == nil
      return isSure ? countDuplicate(first.id, seen) : countDoubtful(first.id, seen)
    }
    guard seen.isApplied, !intent.overwrites else { return }
    compare(seen, intent)
  }

  mutating func record(_ event: SandboxEvent) {
    if case .replaced = event { replaced = newest }
  }

  /// The attempts whose effect still stands.
  private func effects(of request: LogicalRequest) -> [(id: Int, key: UInt64?)] {
    request.applied.filter { $0.id > replaced }
  }

  /// Compares an applied write with the last of its kind: of its client, and of its address.
  private mutating func compare(_ seen: Observation, _ intent: Intent) {
    let own = Applied(
      id: seen.id, client: seen.client, isNamed: seen.isNamed, key: seen.key, connection: seen.connection,
      arrival: seen.arrival, end: seen.end)
    if seen.key == nil, compareWithOwn(seen, own) { return }
    guard !seen.isNamed else { return }
    let effectKey = Self.effectKey(of: seen, intent)
    if let other = lost[effectKey], other.id > replaced, !other.isFollowed,
      seen.arrival - other.arrival <= Self.patience
    {
      if let first = other.key, let key = seen.key, first != key {
        exposed += 1
        suspect(other.id, first, seen)
      } else if other.client != seen.client, seen.key == nil {
        exposed += 1
        countDoubtful(other.id, seen)
      }
    }
    if seen.result == .lost { lost[effectKey] = own }
  }

  /// The hash of an address and a meaning.
  private static func effectKey(of seen: Observation, _ intent: Intent) -> UInt64 {
    seen.peerHash.mixed(with: UInt64(seen.api ?? 255)).mixed(with: intent.meaning)
  }

  /// Records that an unnamed client has repeated a lost write under its key: another key is another write.
  private mutating func follow(_ key: UInt64, _ seen: Observation, _ intent: Intent) {
    guard let index = lost.index(of: Self.effectKey(of: seen, intent)) else { return }
    if lost.values[index].key == key, lost.values[index].client == seen.client { lost.values[index].isFollowed = true }
  }

  /// Compares a write without a key with the last of its client. Returns true if it was sent beside that one.
  private mutating func compareWithOwn(_ seen: Observation, _ own: Applied) -> Bool {
    let before = applied[seen.identity]
    applied[seen.identity] = own
    if let before, before.id > replaced, seen.arrival < before.end,
      before.connection != seen.connection,
      seen.arrival - before.arrival >= Self.together
    {
      exposed += 1
      if seen.isNamed { countDuplicate(before.id, seen) } else { countDoubtful(before.id, seen) }
      return true
    }
    return false
  }

  /// Stores a write under a fresh key, until its client comes back with the first key.
  private mutating func suspect(_ first: Int, _ key: UInt64, _ seen: Observation) {
    if suspects.count == Self.maximumSuspects { conclude(suspects.removeFirst()) }
    suspects.append(
      Suspect(
        client: seen.client, key: key, first: first, second: seen.id, request: ReportText.request(seen),
        isNamed: seen.isNamed)
    )
  }

  private mutating func record(_ first: Int, _ second: Observation) {
    if example.isEmpty { example = ReportText.request(second) }
    evidence.add(first, second.id)
  }

  private mutating func countDuplicate(_ first: Int, _ second: Observation) {
    guard second.isNamed else {
      var known = unnamed[second.client] ?? Unnamed(client: second.client, request: ReportText.request(second))
      known.count += 1
      known.evidence.add(first, second.id)
      unnamed[second.client] = known
      return
    }
    if doubled == 0 { example = ReportText.request(second) }
    doubled += 1
    evidence.add(first, second.id)
  }

  private mutating func conclude(_ suspect: Suspect) {
    if suspect.isNamed {
      if doubled == 0 { example = suspect.request }
      doubled += 1
    } else {
      if example.isEmpty { example = suspect.request }
      doubtful += 1
      mayBeSeveralClients = true
    }
    evidence.add(suspect.first, suspect.second)
  }

  /// Counts what a client without a name did twice: if it may be several, as doubtful.
  private mutating func conclude(_ client: Unnamed, isShared: Bool) {
    if isShared {
      doubtful += client.count
      mayBeSeveralClients = true
    } else {
      if doubled == 0 { example = client.request }
      doubled += client.count
    }
    if example.isEmpty { example = client.request }
    for id in client.evidence.ids { evidence.add(id) }
  }

  private mutating func countDoubtful(_ first: Int, _ second: Observation) {
    doubtful += 1
    if !second.isNamed { mayBeSeveralClients = true }
    record(first, second)
  }

  func finding(_ context: CheckContext) -> Finding {
    var judged = self
    for suspect in suspects { judged.conclude(suspect) }
    for client in unnamed.values { judged.conclude(client, isShared: context.unnamed.isShared(client.client)) }
    return judged.conclusion
  }

  private var conclusion: Finding {
    if doubled > 0 {
      let advice =
        suspects.isEmpty
        ? "Send an Idempotency-Key, the same with each attempt." : "Send the same Idempotency-Key with all attempts."
      return Finding(
        .fail,
        "\(ReportText.were(doubled, "write")) sent again before the client knew what became of the "
          + "first, and took effect twice: \(example). \(advice)", evidence)
    }
    if byTransport > 0 {
      return Finding(
        .warn,
        "\(ReportText.count(byTransport, "write")) took effect twice because the transport repeated "
          + "\(byTransport == 1 ? "it" : "them") by itself: \(example). "
          + "An Idempotency-Key prevents that.", evidence)
    }
    if doubtful > 0 {
      return Finding(
        .warn,
        "\(ReportText.count(doubtful, "write")) took effect twice, perhaps on purpose: \(example). The server tells a repetition "
          + "from a second write by the Idempotency-Key: send the same one with each attempt."
          + (mayBeSeveralClients ? ReportText.clientNameAdvice : ""), evidence)
    }
    guard exposed > 0 else { return Finding(.notExercised, "No write was repeated after a failure.") }
    return Finding(
      .pass,
      "\(ReportText.were(exposed, "write")) repeated after a failure, and none took effect twice."
    )
  }
}

import Contract

/// Checks that no write took effect twice because its client sent it again, and no `Idempotency-Key` held the two together.
///
/// The first need not have been lost: it may only have been slow, or have been sent beside the second in case. A fresh key
/// for each attempt is as good as none. A client that comes back with the first key later had meant another write by the fresh
/// one.
///
/// It counts what is done once more each time: a write that sets the same again changes nothing, and is right. A client
/// that looks, and waits for what it sees, before it writes again has decided anew. What a transport repeats by itself its
/// client did not choose, and where a whole 2xx arrived, or two people may be behind it, it may be meant: that is a
/// warning.
struct NoDuplicateEffect: Check {
  static let id = "no-duplicate-effect"
  static let rank = 60
  static let maximumSuspects = 256
  /// A request sent sooner after the first one was sent in parallel on purpose.
  static let together = Duration.milliseconds(50)
  static let patience = Duration.seconds(60)

  private var exposed = 0
  private var doubled = 0
  private var byTransport = 0
  private var doubtful = 0
  private var example = ""
  private var isTellingApart = false
  private var evidence = Evidence()
  /// The newest write, and the newest whose effect was lost when the state was replaced.
  private var newest = 0
  private var replaced = 0
  private var suspects: [Suspect] = []
  /// The last applied write of each kind and client.
  private var applied = RecentTable<UInt64, Applied>(capacity: 256)
  /// The writes that were applied and lost, by address and meaning.
  private var lost = RecentTable<UInt64, Applied>(capacity: 256)

  /// A write under a fresh key that looks like the repetition of another.
  private struct Suspect: Sendable {
    let client: UInt64
    let key: UInt64
    let first: Int
    let second: Int
    let words: String
  }

  private struct Applied: Sendable {
    let id: Int
    let client: UInt64
    let isNamed: Bool
    let connection: Int
    let arrival: MonotonicInstant
    let end: MonotonicInstant
    let isAcknowledged: Bool
  }

  mutating func observe(_ seen: Observation, _ trial: LogicalRequests.AttemptKind) {
    guard seen.isWrite, let intent = seen.intent else { return }
    newest = max(newest, seen.id)
    if let key = seen.key { suspects.removeAll { $0.client == seen.client && $0.key == key } }
    switch trial {
    case .first: break
    case .replay(let request):
      guard let request else { return }
      exposed += 1
      guard seen.isApplied, intent.kind != .sets, let first = effects(of: request).last else { return }
      byTransport += 1
      note(first.id, seen)
    case .retry(let request, _, _):
      guard !request.wasReread(before: seen.arrival) else { break }
      exposed += 1
      guard seen.isApplied, intent.kind != .sets, let first = effects(of: request).first else { break }
      if first.isAnswered { return doubt(first.id, seen) }
      guard let key = first.key, seen.key != nil else { return convict(first.id, seen) }
      guard seen.isNamed else { return doubt(first.id, seen) }
      if suspects.count == Self.maximumSuspects { convict(suspects.removeFirst()) }
      suspects.append(
        Suspect(client: seen.client, key: key, first: first.id, second: seen.id, words: Words.request(seen)))
      return
    }
    guard seen.isApplied, seen.key == nil, intent.kind != .sets else { return }
    compare(seen, intent)
  }

  mutating func note(_ event: SandboxEvent) {
    if case .replaced = event { replaced = newest }
  }

  /// The attempts whose effect still stands.
  private func effects(of request: LogicalRequest) -> [(id: Int, key: UInt64?, isAnswered: Bool)] {
    request.applied.filter { $0.id > replaced }
  }

  /// Compares an applied write with the last of its kind: of its client, and of its address.
  private mutating func compare(_ seen: Observation, _ intent: Intent) {
    let own = Applied(
      id: seen.id, client: seen.client, isNamed: seen.isNamed, connection: seen.connection, arrival: seen.arrival,
      end: seen.end, isAcknowledged: seen.result == .success)
    let before = applied[seen.identity]
    applied[seen.identity] = own
    if let before, before.id > replaced, before.isAcknowledged, seen.arrival < before.end,
      before.connection != seen.connection,
      seen.arrival - before.arrival >= Self.together
    {
      exposed += 1
      return seen.isNamed ? convict(before.id, seen) : doubt(before.id, seen)
    }
    guard !seen.isNamed else { return }
    let place = Observation.hash(seen.peer).mixed(with: UInt64(seen.api ?? 255)).mixed(with: intent.meaning)
    if let other = lost[place], other.id > replaced, other.client != seen.client,
      seen.arrival - other.arrival <= Self.patience
    {
      exposed += 1
      doubt(other.id, seen)
    }
    if seen.result == .lost { lost[place] = own }
  }

  private mutating func note(_ first: Int, _ second: Observation) {
    if example.isEmpty { example = Words.request(second) }
    evidence.add(first, second.id)
  }

  private mutating func convict(_ first: Int, _ second: Observation) {
    if doubled == 0 { example = Words.request(second) }
    doubled += 1
    evidence.add(first, second.id)
  }

  private mutating func convict(_ suspect: Suspect) {
    if doubled == 0 { example = suspect.words }
    doubled += 1
    evidence.add(suspect.first, suspect.second)
  }

  private mutating func doubt(_ first: Int, _ second: Observation) {
    doubtful += 1
    if !second.isNamed { isTellingApart = true }
    note(first, second)
  }

  func finding(_ moment: CheckContext) -> Finding {
    var judged = self
    for suspect in suspects { judged.convict(suspect) }
    return judged.settled
  }

  private var settled: Finding {
    if doubled > 0 {
      let cure =
        suspects.isEmpty
        ? "Send an Idempotency-Key, the same with each attempt." : "Send the same Idempotency-Key with all attempts."
      return Finding(
        .fail,
        "\(Words.count(doubled, "write")) \(Words.were(doubled)) sent again without knowing what became of the first, "
          + "and took effect twice: \(example). \(cure)", evidence)
    }
    if byTransport > 0 {
      return Finding(
        .warn,
        "\(Words.count(byTransport, "write")) took effect twice because the transport repeated it by itself: \(example). "
          + "An Idempotency-Key prevents that.", evidence)
    }
    if doubtful > 0 {
      return Finding(
        .warn,
        "\(Words.count(doubtful, "write")) took effect twice, perhaps on purpose: \(example). An Idempotency-Key tells a "
          + "repetition from a second wish." + (isTellingApart ? Words.tellApart : ""), evidence)
    }
    guard exposed > 0 else { return Finding(.notExercised, "No write was repeated after a failure.") }
    return Finding(
      .pass,
      "\(Words.count(exposed, "write")) \(Words.were(exposed)) repeated after a failure, and none took effect twice.")
  }
}

import Contract
import Primitives

/// The newest applied writes that do something once more each time, by client and meaning: the effect that a repetition doubles.
///
/// Where the same is set again nothing is done twice, so such writes are not kept.
struct EffectHistory: Sendable {
  /// A request sent sooner after another was sent in parallel on purpose.
  static let together = Duration.milliseconds(50)
  static let patience = Duration.seconds(60)
  /// A stream of events has shown a change after this time.
  static let streamDelay = Duration.seconds(1)

  private struct Effect: Sendable {
    let id: Int
    let client: UInt64
    let key: UInt64?
    /// The scope of its key, by which its later uses are found.
    let scope: UInt64?
    let connection: Int
    let arrival: MonotonicInstant
    let end: MonotonicInstant
    /// True if its client left before it was answered.
    let wasLeft: Bool
    let isUnknown: Bool
  }

  /// An effect that a write repeats.
  struct Earlier: Sendable {
    enum Doubt: Sendable {
      /// The client knew nothing of the first one's effect.
      case none
      /// A 2xx of the first one had arrived, though perhaps damaged, or a stream had shown its effect, or the client had
      /// read something of a backend that may show it: the second may be meant.
      case answered
      /// A transport repeated it by itself.
      case transport
      /// Only one of the two has a key, or they came from other clients at one address: two clients' writes.
      case strangers
    }

    /// The request with the first effect; 0 if none took effect.
    let first: Int
    let doubt: Doubt
    /// The scope of the first one's key where the second has another: if that key comes again, the two were two writes.
    let otherKey: UInt64?
  }

  /// The last applied write of each client and meaning.
  private var own = RecentTable<Effect>(capacity: 256)
  /// The last lost one of each address and meaning, for clients without names.
  private var atAddress = RecentTable<Effect>(capacity: 256)
  /// The newest write, and the newest whose effect was lost when the state was replaced.
  private var newest = 0
  private var replaced = 0

  mutating func forgetAll() { replaced = newest }

  /// Adds a write. Returns the effect that it repeats; with a first one of 0 if it repeats a request without an effect.
  ///
  /// - Parameter isFollowingStream: True if its client follows a stream that shows what its writes do.
  mutating func add(_ seen: Observation, _ facts: Facts, _ keys: KeyHistory, isFollowingStream: Bool) -> Earlier? {
    newest = max(newest, seen.id)
    guard let intent = seen.intent else { return nil }
    let repeated = repeated(seen, facts, isFollowingStream: isFollowingStream)
    guard seen.isApplied, !intent.overwrites else {
      return repeated.map { Earlier(first: 0, doubt: $0.doubt, otherKey: nil) }
    }
    defer { remember(seen, intent) }
    if let repeated, repeated.first > 0 { return repeated }
    return beside(seen) ?? fromElsewhere(seen, intent, keys) ?? repeated
  }

  /// Returns the effect of an earlier attempt of the same request.
  private func repeated(_ seen: Observation, _ facts: Facts, isFollowingStream: Bool) -> Earlier? {
    switch facts.kind {
    case .first: return nil
    case .replay(let request):
      guard let request else { return nil }
      return Earlier(first: effects(of: request).last?.id ?? 0, doubt: .transport, otherKey: nil)
    case .retry(let request, _, let wait), .repeated(let request, let wait, _):
      guard !request.wasReread(before: seen.arrival) else { return nil }
      guard let first = effects(of: request).first else { return Earlier(first: 0, doubt: .none, otherKey: nil) }
      let hasSeen = isFollowingStream && wait >= Self.streamDelay || request.wasReadElsewhere(before: seen.arrival)
      if request.isAnswered || hasSeen {
        return Earlier(first: first.id, doubt: .answered, otherKey: nil)
      }
      if let key = first.key, seen.key != nil {
        return Earlier(first: first.id, doubt: .none, otherKey: KeyHistory.scope(of: key, seen))
      }
      // A client sends all its writes with keys, or none.
      let isAlike = first.key == nil && seen.key == nil
      return Earlier(first: first.id, doubt: isAlike || seen.isNamed ? .none : .strangers, otherKey: nil)
    }
  }

  /// The attempts whose effect still stands.
  private func effects(of request: LogicalRequest) -> [(id: Int, key: UInt64?)] {
    request.applied.filter { $0.id > replaced }
  }

  /// Returns the effect of the same write that was under way when this one came.
  private func beside(_ seen: Observation) -> Earlier? {
    guard let other = own[seen.identity], other.id > replaced, seen.arrival < other.end,
      other.connection != seen.connection || seen.connection == 0, seen.arrival - other.arrival >= Self.together
    else { return nil }
    if seen.key == nil, other.key == nil { return Earlier(first: other.id, doubt: .none, otherKey: nil) }
    // Two wishes under two keys may be answered side by side; one that was given up is sent again.
    guard other.wasLeft, other.key != seen.key else { return nil }
    return Earlier(first: other.id, doubt: seen.isNamed ? .none : .strangers, otherKey: other.scope)
  }

  /// Returns the lost effect of the same write from the same address, for a client without a name.
  private func fromElsewhere(_ seen: Observation, _ intent: Intent, _ keys: KeyHistory) -> Earlier? {
    guard !seen.isNamed, let other = atAddress[Self.key(of: seen, intent)], other.id > replaced,
      seen.arrival - other.arrival <= Self.patience
    else { return nil }
    // If the first key was sent again, the write under the new key is a separate one.
    if let scope = other.scope, keys.lastUse(in: scope) > other.id { return nil }
    if let key = other.key, seen.key != nil, key != seen.key {
      return Earlier(first: other.id, doubt: .strangers, otherKey: other.scope)
    }
    guard seen.key == nil, other.client != seen.client else { return nil }
    return Earlier(first: other.id, doubt: .strangers, otherKey: nil)
  }

  private mutating func remember(_ seen: Observation, _ intent: Intent) {
    let effect = Effect(
      id: seen.id, client: seen.client, key: seen.key, scope: seen.key.map { KeyHistory.scope(of: $0, seen) },
      connection: seen.connection, arrival: seen.arrival, end: seen.end, wasLeft: seen.outcome == .peerGone,
      isUnknown: seen.result == .lost)
    own[seen.identity] = effect
    if !seen.isNamed, effect.isUnknown { atAddress[Self.key(of: seen, intent)] = effect }
  }

  /// The hash of an address and a meaning.
  private static func key(of seen: Observation, _ intent: Intent) -> UInt64 {
    seen.peerHash.mixed(with: UInt64(seen.api ?? 255)).mixed(with: intent.meaning)
  }
}

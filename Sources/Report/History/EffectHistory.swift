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
  private static let maximumUnseen = 64

  private struct AppliedWrite: Sendable {
    let id: Int
    let client: UInt64
    let identity: UInt64
    let api: Int?
    let operation: Contract.Operation?
    let intent: Intent
    let likeness: UInt64?
    let key: UInt64?
    /// The scope of its key, by which its later uses are found.
    let scope: UInt64?
    let connection: Int
    let arrival: MonotonicInstant
    let end: MonotonicInstant
    /// True if its client left before it was answered.
    let wasLeft: Bool
    /// True if its client did not learn of it: its response was lost, or said that it had failed.
    let isUnknown: Bool
  }

  /// An effect that a write repeats.
  struct Earlier: Sendable {
    /// The way in which the two are connected, on which the remedy depends.
    enum Link: Sendable {
      case sameWrite
      /// A transport repeated it by itself.
      case transport
      /// Each of the two has a key of its own.
      case twoKeys
      /// They are equal but for times and random ids.
      case alike
      /// A backend redirected both to the same place, which does not say whether it took them for one.
      case redirects
    }

    /// The request with the first effect; 0 if none took effect.
    var first = 0
    var link = Link.sameWrite
    /// The explanations under which the repetition is no mistake.
    var unless: Explanations = []
    /// The scope of the first one's key where the second has another.
    var firstKey: UInt64?
    /// True if only the backend knows whether both took effect.
    var isUnknown = false
  }

  /// The last applied write of each client and meaning.
  private var own = RecentTable<AppliedWrite>(capacity: 256)
  /// The last one that its client did not learn of, of each address and meaning, for clients without names.
  private var atAddress = RecentTable<AppliedWrite>(capacity: 256)
  /// The newest ones that no read has shown to their clients.
  private var unseen: [AppliedWrite] = []
  /// The newest write, and the newest whose effect was lost when the state was replaced.
  private var newest = 0
  private var replaced = 0

  mutating func forgetAll() {
    replaced = newest
    unseen = []
  }

  /// True if a read may show a client what its writes did.
  var awaitsLooks: Bool { !unseen.isEmpty }

  /// True if the state in which a write took effect has not been replaced.
  func stands(_ id: Int) -> Bool { id > replaced }

  /// Adds a read, or a removal.
  mutating func look(_ seen: Observation) {
    unseen.removeAll { effect in
      effect.client == seen.client && effect.id < seen.id && seen.end >= effect.end
        && seen.resolves(effect.intent, of: effect.api, by: effect.operation)
    }
  }

  /// Adds a write. Returns the effect that it repeats; with a first one of 0 if it repeats a request without an effect.
  ///
  /// - Parameter isFollowingStream: True if its client follows a stream that shows what its writes do.
  mutating func add(_ seen: Observation, _ facts: Facts, _ keys: KeyHistory, isFollowingStream: Bool) -> Earlier? {
    newest = max(newest, seen.id)
    guard let intent = seen.intent else { return nil }
    let repeated = repeated(seen, facts, isFollowingStream: isFollowingStream)
    guard seen.isApplied, !intent.overwrites else {
      return repeated.map { $0.link == .redirects && !intent.overwrites ? $0 : Earlier(isUnknown: $0.isUnknown) }
    }
    defer { remember(seen, intent) }
    if let repeated, repeated.first > 0 { return repeated }
    return beside(seen) ?? fromElsewhere(seen, intent, keys) ?? alike(seen) ?? repeated
  }

  /// Returns the effect of an earlier attempt of the same request.
  private func repeated(_ seen: Observation, _ facts: Facts, isFollowingStream: Bool) -> Earlier? {
    switch facts.kind {
    case .first: return nil
    case .replay(let request):
      guard let request else { return nil }
      return Earlier(first: effects(of: request).last?.id ?? 0, link: .transport, unless: .library)
    case .retry(let request, _, let wait), .repeated(let request, let wait, _):
      guard !request.wasReread(before: seen.arrival) else { return nil }
      guard let first = effects(of: request).first else { return unknown(seen, request) }
      // One key makes one write of both; a backend that applies it twice does not keep keys.
      if let key = first.key, key == seen.key {
        return Earlier(isUnknown: seen.isApplied && facts.key?.results != .same)
      }
      var earlier = Earlier(first: first.id, unless: seen.undeclared)
      let wasShown = isFollowingStream && wait >= Self.streamDelay
      if request.isAnswered || wasShown || request.variant != seen.variant { earlier.unless.insert(.separateWishes) }
      if let key = first.key, seen.key != nil {
        (earlier.link, earlier.firstKey) = (.twoKeys, KeyHistory.scope(of: key, seen))
        earlier.unless.formUnion(seen.isNamed ? .wishesIfKeyReturns : [.wishesIfKeyReturns, .severalClients])
      } else {
        // A client sends all its writes with keys, or none.
        let isAlike = first.key == nil && seen.key == nil
        earlier.unless.formUnion(
          isAlike ? seen.otherSenders(sideBySide: false) : seen.isNamed ? [] : .severalClients)
      }
      return earlier
    }
  }

  /// Returns the repetition of a request of which only the backend may know whether it took effect.
  private func unknown(_ seen: Observation, _ request: LogicalRequest) -> Earlier {
    guard let first = request.unknownEffect else { return Earlier() }
    let isRedirected = seen.isEffectUnknown && seen.namedResult != nil && seen.namedResult == first.result
    guard isRedirected, seen.key == nil || seen.key != first.key else { return Earlier(isUnknown: true) }
    return Earlier(first: first.id, link: .redirects, unless: .undeclared)
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
    var earlier = Earlier(first: other.id, unless: seen.undeclared)
    if seen.key == nil, other.key == nil {
      earlier.unless.formUnion(seen.otherSenders(sideBySide: false))
      return earlier
    }
    // Two wishes under two keys may be answered side by side; one that was given up is sent again.
    guard other.wasLeft, other.key != seen.key else { return nil }
    (earlier.link, earlier.firstKey) = (.twoKeys, other.scope)
    if other.scope != nil { earlier.unless.insert(.wishesIfKeyReturns) }
    if !seen.isNamed { earlier.unless.insert(.severalClients) }
    return earlier
  }

  /// Returns the unknown effect of the same write from the same address, for a client without a name.
  private func fromElsewhere(_ seen: Observation, _ intent: Intent, _ keys: KeyHistory) -> Earlier? {
    guard !seen.isNamed, let other = atAddress[Self.key(of: seen, intent)], other.id > replaced,
      seen.arrival - other.arrival <= Self.patience
    else { return nil }
    // If the first key was sent again, the write under the new key is a separate one.
    if let scope = other.scope, keys.lastUse(in: scope) > other.id { return nil }
    var earlier = Earlier(first: other.id, unless: seen.undeclared.union(.severalClients))
    if let key = other.key, seen.key != nil, key != seen.key {
      earlier.unless.insert(.wishesIfKeyReturns)
      (earlier.link, earlier.firstKey) = (.twoKeys, other.scope)
      return earlier
    }
    return seen.key == nil && other.client != seen.client ? earlier : nil
  }

  /// Returns the unknown effect of a write of the same client that differs only by what never repeats.
  private func alike(_ seen: Observation) -> Earlier? {
    guard let likeness = seen.likeness, seen.key == nil else { return nil }
    let first = unseen.last { effect in
      effect.isUnknown && effect.client == seen.client && effect.likeness == likeness && effect.key == nil
        && effect.identity != seen.identity && effect.end <= seen.arrival
        && seen.arrival - effect.end <= Self.patience
    }
    return first.map { first in
      Earlier(first: first.id, link: .alike, unless: seen.undeclared.union(.separateWishes))
    }
  }

  private mutating func remember(_ seen: Observation, _ intent: Intent) {
    let effect = AppliedWrite(
      id: seen.id, client: seen.client, identity: seen.identity, api: seen.api, operation: seen.operation,
      intent: intent, likeness: seen.likeness, key: seen.key, scope: seen.key.map { KeyHistory.scope(of: $0, seen) },
      connection: seen.connection, arrival: seen.arrival, end: seen.end, wasLeft: seen.outcome == .peerGone,
      isUnknown: seen.hasFailed)
    own[seen.identity] = effect
    if unseen.count == Self.maximumUnseen { unseen.removeFirst() }
    unseen.append(effect)
    if !seen.isNamed, effect.isUnknown { atAddress[Self.key(of: seen, intent)] = effect }
  }

  /// The hash of an address and a meaning.
  private static func key(of seen: Observation, _ intent: Intent) -> UInt64 {
    seen.peerHash.mixed(with: UInt64(seen.api ?? 255)).mixed(with: intent.meaning)
  }
}

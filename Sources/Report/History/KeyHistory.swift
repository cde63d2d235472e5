import Contract
import Primitives

/// The uses of each `Idempotency-Key`, in its scope: path and method.
///
/// A key is the identity of a write, from any client: a worker may repeat what another one lost.
struct KeyHistory: Sendable {
  fileprivate struct Use: Sendable {
    let id: Int
    let meaning: UInt64
    let client: UInt64
    let isNamed: Bool
    var last: Int
    var answered: MonotonicInstant?
    /// When the last attempt ended that was not refused as one too many.
    var busyUntil = MonotonicInstant(nanoseconds: 0)
    var isApplied = false
    /// The result that the first answer named, and what it said, as far as that is known.
    var result: UInt64?
    var answer: UInt64?
    /// The failed attempts that none has followed yet.
    var failures = 0
    /// The uses after an answer that no failed attempt explains, and those of them that came late.
    var repeats = 0
    var late = 0
  }

  /// The newest use of a key by a client.
  private struct Owner: Sendable {
    let id: Int
    let scope: UInt64
    /// The hash of what the write adds to.
    let effect: UInt64
  }

  /// A further use of a key.
  struct Reuse: Sendable {
    /// The first write with the key; 0 if this is it.
    var first = 0
    /// True if the two have different meanings.
    var isClash = false
    /// True if that is not certain, because long contents are compared by their bytes.
    var isPerhapsEqual = false
    /// True if another client with a name had used the key, and had been answered or was still waiting.
    var isForeign = false
    /// The number of uses after an answer, this one included; 0 if a failed attempt explains this one.
    var repeats = 0
    /// Those of them that came seconds after the answer.
    var late = 0
    /// True if the server had forgotten the key, and so applied this one again.
    var isAppliedAgain = false
    /// The write with the same key on another path; 0 if there is none.
    var otherPath = 0
    /// True if both add to the same record.
    var isSameEffect = false
    /// The comparison of a backend's answers to the two; nil if one of them is not known.
    var results: Results?

    enum Results: Sendable {
      /// They name the same result, so one write was carried out.
      case same
      /// They are equal, and name no result.
      case alike
      case different
    }
  }

  private var uses = RecentTable<Use>(capacity: 1_024)
  /// The newest write of each client with each key, whatever its path.
  private var owners = RecentTable<Owner>(capacity: 512)

  /// Returns the newest use of a key in a scope.
  func lastUse(in scope: UInt64) -> Int { uses[scope]?.last ?? 0 }

  static func scope(of key: UInt64, _ seen: Observation) -> UInt64 {
    seen.pathHash.mixed(with: Observation.hash(seen.method)).mixed(with: key)
  }

  /// True if a write with the same key was under way at a moment.
  func wasBusy(_ seen: Observation, at moment: MonotonicInstant) -> Bool {
    guard let key = seen.key, let use = uses[Self.scope(of: key, seen)] else { return false }
    return use.busyUntil > moment
  }

  /// Adds a write with a key.
  mutating func add(_ seen: Observation, hasFailed: Bool) -> Reuse? {
    guard let key = seen.key, seen.replayOf == nil else { return nil }
    let scope = Self.scope(of: key, seen)
    let content = seen.isComparedByBytes ? seen.body : seen.intent?.meaning ?? 0
    let meaning = content.mixed(with: UInt64(seen.api ?? 255))
    guard var use = uses[scope] else {
      var first = Use(id: seen.id, meaning: meaning, client: seen.client, isNamed: seen.isNamed, last: seen.id)
      first.add(seen, hasFailed: hasFailed)
      uses[scope] = first
      return otherPath(seen, key, scope)
    }
    let isExplained = use.failures > 0
    if isExplained { use.failures -= 1 }
    // A request that came before the answer is a hedge.
    if !isExplained, let answered = use.answered, seen.arrival >= answered {
      use.repeats += 1
      if seen.arrival - answered >= KeyReuse.later { use.late += 1 }
    }
    // The server itself says that the contents differ.
    let isRefused = seen.status == 422 && !seen.isOfUnknownAPI && use.answered != nil
    let reuse = Reuse(
      first: use.id, isClash: use.meaning != meaning || isRefused, isPerhapsEqual: seen.isComparedByBytes && !isRefused,
      isForeign: !isExplained && use.isNamed && seen.isNamed && use.client != seen.client,
      repeats: isExplained ? 0 : use.repeats, late: isExplained ? 0 : use.late,
      // A backend that stores keys answers a repetition like the first.
      isAppliedAgain: use.isApplied && use.answered != nil && seen.isApplied && !isExplained && !seen.isOfUnknownAPI,
      results: use.results(with: seen))
    use.last = seen.id
    use.add(seen, hasFailed: hasFailed)
    uses[scope] = use
    return reuse
  }

  /// Returns the first use of a key in its scope, which its client may have used on another path.
  private mutating func otherPath(_ seen: Observation, _ key: UInt64, _ scope: UInt64) -> Reuse {
    guard seen.isApplied, let intent = seen.intent, !intent.overwrites else { return Reuse() }
    let new = Owner(id: seen.id, scope: scope, effect: intent.record ?? intent.meaning)
    let owner = seen.client.mixed(with: key)
    defer { owners[owner] = new }
    guard let last = owners[owner], last.scope != scope else { return Reuse() }
    return Reuse(otherPath: last.id, isSameEffect: last.effect == new.effect)
  }
}

extension KeyHistory.Use {
  fileprivate mutating func add(_ seen: Observation, hasFailed: Bool) {
    if hasFailed { failures += 1 }
    if seen.status != 409 { busyUntil = max(busyUntil, seen.end) }
    if seen.isApplied {
      isApplied = true
      if answer == nil { answer = seen.answer }
      if result == nil { result = seen.namedResult }
    }
    guard seen.result == .success else { return }
    answered = max(answered ?? seen.end, seen.end)
  }

  /// Returns the comparison of a backend's answers to two writes that it carried out, or says that it did.
  fileprivate func results(with seen: Observation) -> KeyHistory.Reuse.Results? {
    guard seen.isOfUnknownAPI, seen.isApplied, isApplied else { return nil }
    if let result, let other = seen.namedResult { return result == other ? .same : .different }
    if let answer, let other = seen.answer, !seen.isCall { return answer == other ? .alike : .different }
    return nil
  }
}

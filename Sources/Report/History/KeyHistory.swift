import Contract
import Primitives

/// The uses of each `Idempotency-Key`, in its scope: path and method.
struct KeyHistory: Sendable {
  fileprivate struct Use: Sendable {
    let id: Int
    let meaning: UInt64
    let client: UInt64
    let isNamed: Bool
    var last: Int
    var answered: MonotonicInstant?
    var isApplied = false
    /// The failed attempts that none has followed yet.
    var failures = 0
    /// The uses after an answer that no failed attempt explains, and those of them that came late.
    var repeats = 0
    var late = 0
  }

  /// A further use of a key.
  struct Reuse: Sendable {
    /// The first write with the key; 0 if this is it.
    let first: Int
    /// True if the two have different meanings.
    let isClash: Bool
    /// True if two clients with names use it.
    let isForeign: Bool
    /// The number of uses after an answer, this one included; 0 if a failed attempt explains this one.
    let repeats: Int
    /// Those of them that came seconds after the answer.
    let late: Int
    /// True if the server had forgotten the key, and so applied this one again.
    let isAppliedAgain: Bool
  }

  private var uses = RecentTable<Use>(capacity: 1_024)
  private(set) var count = 0

  /// Returns the newest use of a key in a scope.
  func lastUse(in scope: UInt64) -> Int { uses[scope]?.last ?? 0 }

  static func scope(of key: UInt64, _ seen: Observation) -> UInt64 {
    seen.pathHash.mixed(with: Observation.hash(seen.method)).mixed(with: key)
  }

  /// Adds a write with a key.
  mutating func add(_ seen: Observation, hasFailed: Bool) -> Reuse? {
    guard let key = seen.key, seen.replayOf == nil else { return nil }
    let scope = Self.scope(of: key, seen)
    let content = seen.isComparedByBytes ? seen.body : seen.intent?.meaning ?? 0
    let meaning = content.mixed(with: UInt64(seen.api ?? 255))
    guard var use = uses[scope] else {
      count += 1
      var first = Use(id: seen.id, meaning: meaning, client: seen.client, isNamed: seen.isNamed, last: seen.id)
      first.add(seen, hasFailed: hasFailed)
      uses[scope] = first
      return Reuse(first: 0, isClash: false, isForeign: false, repeats: 0, late: 0, isAppliedAgain: false)
    }
    let isExplained = use.failures > 0
    if isExplained { use.failures -= 1 }
    // A request that came before the answer is a hedge.
    if !isExplained, let answered = use.answered, seen.arrival >= answered {
      use.repeats += 1
      if seen.arrival - answered >= KeyReuse.later { use.late += 1 }
    }
    let reuse = Reuse(
      first: use.id, isClash: use.meaning != meaning,
      isForeign: use.isNamed && seen.isNamed && use.client != seen.client,
      repeats: isExplained ? 0 : use.repeats, late: isExplained ? 0 : use.late,
      // A backend that stores keys answers a repetition like the first.
      isAppliedAgain: use.isApplied && use.answered != nil && seen.isApplied && !isExplained && !seen.isOfUnknownAPI)
    use.last = seen.id
    use.add(seen, hasFailed: hasFailed)
    uses[scope] = use
    return reuse
  }
}

extension KeyHistory.Use {
  fileprivate mutating func add(_ seen: Observation, hasFailed: Bool) {
    if hasFailed { failures += 1 }
    if seen.isApplied { isApplied = true }
    guard seen.result == .success else { return }
    answered = max(answered ?? seen.end, seen.end)
  }
}

import Primitives

/// The source of every decision: a hash of the exchange's identity, and nothing else.
///
/// It is not a generator with a state, so the order of requests does not matter: the value for the n-th request of a
/// stream is the same in every run with the same seed, whatever else happens. Each word is combined by the finalizer of
/// SplitMix64; texts become words by FNV-1a. The tests contain golden values: a change here would change every
/// decision.
package struct SeededHash: Sendable {
  private var state: UInt64

  /// The purpose of a value, so that a rule's chance is independent of the length of its delay.
  package enum Purpose: UInt64, Sendable {
    case chance = 1
    case latency, damage, rivals
  }

  package init(seed: UInt64) { state = Self.fold(seed, into: 0) }

  package func folding(_ word: UInt64) -> SeededHash {
    var hash = self
    hash.state = Self.fold(word, into: state)
    return hash
  }

  package func folding(_ text: String) -> SeededHash { folding(FNV1a.hash(text)) }

  package func folding(_ position: Ordinal) -> SeededHash {
    switch position {
    case .ordinal(let n): folding(0).folding(UInt64(clamping: n))
    case .key(let key): folding(1).folding(key)
    }
  }

  /// Returns the hash of one request, from that of a rule.
  package func folding(_ stream: RequestKey, _ position: Ordinal) -> SeededHash {
    folding(stream.hash).folding(position)
  }

  package func draw(_ purpose: Purpose) -> UInt64 { Self.fold(purpose.rawValue, into: state) }

  /// Returns further bits from one value, for decisions that need more than 64.
  static func spread(_ draw: UInt64, _ index: UInt64) -> UInt64 {
    SplitMix64.finalized(draw &+ (index &+ 1) &* SplitMix64.increment)
  }

  private static func fold(_ word: UInt64, into state: UInt64) -> UInt64 {
    SplitMix64.finalized((state ^ word) &+ SplitMix64.increment)
  }
}

/// The source of every decision: a hash of the exchange's identity, and nothing else.
///
/// There is no generator, and so no order: the value for the n-th request of a stream is the same in every run with the
/// same seed, whatever else happens. Each word is combined by the finalizer of SplitMix64 (Steele, Lea and Flood 2014),
/// a bijection in which each bit of the word changes about half of the result's bits; texts become words by FNV-1a. The
/// tests contain golden values: a change here would change every decision.
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

  package func folding(_ text: String) -> SeededHash { folding(Self.hash(text)) }

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
    finalized(draw &+ (index &+ 1) &* 0x9E37_79B9_7F4A_7C15)
  }

  private static func fold(_ word: UInt64, into state: UInt64) -> UInt64 {
    finalized((state ^ word) &+ 0x9E37_79B9_7F4A_7C15)
  }

  static func finalized(_ word: UInt64) -> UInt64 {
    var mixed = word
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// Returns FNV-1a of the UTF-8 bytes, continued from `hash`.
  package static func hash(_ text: String, from hash: UInt64 = 0xCBF2_9CE4_8422_2325) -> UInt64 {
    var hash = hash
    for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
    return hash
  }
}

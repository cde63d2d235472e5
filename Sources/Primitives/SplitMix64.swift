/// The pseudo-random numbers of SplitMix64 (Steele, Lea and Flood 2014), which depend on nothing but their seed.
public struct SplitMix64: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// Begins with this state.
  public init(seed: UInt64) { state = seed }

  /// The step from one state to the next.
  @inlinable public static var increment: UInt64 { 0x9E37_79B9_7F4A_7C15 }

  /// Returns the next number.
  public mutating func next() -> UInt64 {
    state &+= Self.increment
    return Self.finalized(state)
  }

  /// Returns the word mixed by the generator's finalizer: a bijection in which each bit of the word changes about half of
  /// the result's bits.
  ///
  /// Inlined into other modules, because every armed rule takes some of these steps with every request.
  @inlinable public static func finalized(_ word: UInt64) -> UInt64 {
    var mixed = word
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}

/// The interests of the checks by traits, so that an exchange reaches those that are interested in it, and asks no others.
struct Interests: Sendable {
  /// The interest of each check.
  private var current: [Traits]
  /// For each trait, the checks that are interested in it.
  private var checksByTrait = Array(repeating: BitSet(), count: Traits.RawValue.bitWidth)

  /// - Parameter interests: The interest of each check.
  init(_ interests: [Traits]) {
    precondition(interests.count <= UInt32.bitWidth, "a set has a bit for each check")
    current = Array(repeating: [], count: interests.count)
    for check in interests.indices { set(interests[check], of: check) }
  }

  /// Sets the interest of a check; mostly it is the one that it had.
  mutating func set(_ interest: Traits, of check: Int) {
    if interest != current[check] { change(interest, of: check) }
  }

  private mutating func change(_ interest: Traits, of check: Int) {
    let changed = interest.symmetricDifference(current[check])
    for trait in BitSet(bits: UInt32(changed.rawValue)) { checksByTrait[trait].toggle(check) }
    current[check] = interest
  }

  /// Returns the checks that are interested in one of these traits, in their order.
  func checks(for traits: Traits) -> some Sequence<Int> {
    var found = BitSet()
    for trait in BitSet(bits: UInt32(traits.rawValue)) { found.bits |= checksByTrait[trait].bits }
    return found
  }

  /// A set of integers below 32, in ascending order.
  private struct BitSet: Sequence, IteratorProtocol {
    var bits: UInt32 = 0

    mutating func toggle(_ number: Int) { bits ^= 1 << UInt32(number) }

    mutating func next() -> Int? {
      guard bits != 0 else { return nil }
      defer { bits &= bits - 1 }
      return bits.trailingZeroBitCount
    }
  }
}

/// The checks by the traits that they are interested in, so that an exchange reaches those alone.
struct Interests: Sendable {
  /// For each trait, the checks that are interested in it.
  private var checksByTrait = Array(repeating: BitSet(), count: Traits.RawValue.bitWidth)
  /// The traits in which any check is interested.
  private var traits: Traits = []

  /// - Parameter interests: The interest of each check.
  init(_ interests: [Traits]) {
    precondition(interests.count <= UInt32.bitWidth, "a set has a bit for each check")
    for check in interests.indices {
      traits.formUnion(interests[check])
      for trait in BitSet(bits: UInt32(interests[check].rawValue)) { checksByTrait[trait].insert(check) }
    }
  }

  /// Returns the checks that are interested in one of these traits, in their order.
  func checks(for traits: Traits) -> some Sequence<Int> {
    var found = BitSet()
    for trait in BitSet(bits: UInt32(traits.intersection(self.traits).rawValue)) {
      found.bits |= checksByTrait[trait].bits
    }
    return found
  }

  /// A set of integers below 32, in ascending order.
  private struct BitSet: Sequence, IteratorProtocol {
    var bits: UInt32 = 0

    mutating func insert(_ number: Int) { bits |= 1 << UInt32(number) }

    mutating func next() -> Int? {
      guard bits != 0 else { return nil }
      defer { bits &= bits - 1 }
      return bits.trailingZeroBitCount
    }
  }
}

/// Numbers that follow from a name's bytes alone, on every machine and in every run.
///
/// Swift's own `Hasher` is seeded anew for each process and would give another room after every start.
package struct Seed: Sendable {
  private var state: UInt64

  /// The FNV-1a hash of the UTF-8 bytes is the first state of the generator.
  package init(_ name: String) {
    state = 0xCBF2_9CE4_8422_2325
    for byte in name.utf8 {
      state = (state ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
    }
  }

  /// Returns the next number of SplitMix64.
  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  mutating func integer(in range: ClosedRange<Int>) -> Int {
    range.lowerBound + Int(next() % UInt64(range.count))
  }

  mutating func chance(_ percent: Int) -> Bool {
    integer(in: 0...99) < percent
  }

  mutating func pick<Choice>(_ choices: [Choice]) -> Choice {
    choices[integer(in: 0...choices.count - 1)]
  }
}

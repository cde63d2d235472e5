import Primitives

/// A pseudo-random generator that depends only on the bytes of a name, on every machine and in every run.
///
/// Swift's own `Hasher` has a random seed in each process, and would draw another room after every start.
package struct Seed: Sendable {
  private var numbers: SplitMix64

  /// The FNV-1a hash of the UTF-8 bytes is the first state of the generator.
  package init(_ name: String) {
    numbers = SplitMix64(seed: FNV1a.hash(name))
  }

  /// Returns the next number of SplitMix64.
  package mutating func next() -> UInt64 { numbers.next() }

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

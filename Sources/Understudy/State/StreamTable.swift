import Primitives

/// Streams by the hash that seeds their decisions; the path itself may be long and is not stored.
///
/// A hash table with linear probing. A dictionary would hash the hash again with every request.
struct StreamTable {
  private struct Slot {
    var hash: UInt64 = 0
    /// The number of requests; 0 if the slot is empty.
    var count = 0
    /// The indices of the stream's rules; nil if they are searched for each request.
    var rules: [Int]?
  }

  private(set) var count = 0
  /// A power of two of slots, at most half of them used.
  private var slots = Array(repeating: Slot(), count: 16)
  /// Clients choose the paths. Without the seed they could also choose the slots, and make all searches long.
  private let seed = UInt64.random(in: 0 ... .max)

  /// Counts a request of a known stream, and returns its ordinal.
  mutating func countRequest(of hash: UInt64) -> Int? {
    let index = index(of: hash)
    guard slots[index].count > 0 else { return nil }
    slots[index].count += 1
    return slots[index].count
  }

  /// Adds a stream, with its first request.
  mutating func add(_ hash: UInt64, rules: [Int]?) {
    count += 1
    if count * 2 > slots.count { grow() }
    slots[index(of: hash)] = Slot(hash: hash, count: 1, rules: rules)
  }

  /// The largest number of requests of one stream.
  var maximum: Int { slots.reduce(0) { max($0, $1.count) } }

  func count(of hash: UInt64) -> Int { slots[index(of: hash)].count }

  func rules(of hash: UInt64) -> [Int]? { slots[index(of: hash)].rules }

  /// Returns the index of a stream, or of the empty slot in which it belongs.
  private func index(of hash: UInt64) -> Int {
    let mask = slots.count - 1
    var index = Int(truncatingIfNeeded: SplitMix64.finalized(hash ^ seed)) & mask
    while slots[index].count > 0, slots[index].hash != hash { index = (index + 1) & mask }
    return index
  }

  private mutating func grow() {
    let old = slots
    slots = Array(repeating: Slot(), count: old.count * 2)
    for slot in old where slot.count > 0 { slots[index(of: slot.hash)] = slot }
  }
}

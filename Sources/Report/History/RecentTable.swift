/// A table of bounded size by hashes, which evicts the oldest key.
///
/// A key is a hash already, so it is not hashed again: it is looked for from the slot that it names (linear probing).
/// Values stand side by side, and are changed in place.
struct RecentTable<Value: Sendable>: Sendable {
  let capacity: Int
  private(set) var keys: [UInt64] = []
  /// The values, by the index that `index(of:)` and `insert(_:for:)` return.
  var values: [Value] = []
  /// The index of a key plus one, 0 where there is none; a power of two of them, of which at most half are in use.
  private var slots: [UInt32] = []
  private var oldest = 0
  /// True if a key was evicted.
  private(set) var hasEvicted = false

  init(capacity: Int) { self.capacity = capacity }

  var count: Int { keys.count }

  func index(of key: UInt64) -> Int? {
    guard !slots.isEmpty else { return nil }
    let slot = slot(of: key)
    return slots[slot] == 0 ? nil : Int(slots[slot]) - 1
  }

  /// Adds a key that is not in the table, and returns its index.
  mutating func insert(_ value: Value, for key: UInt64) -> Int {
    guard keys.count == capacity else {
      keys.append(key)
      values.append(value)
      if keys.count * 2 > slots.count { grow() } else { slots[slot(of: key)] = UInt32(keys.count) }
      return keys.count - 1
    }
    hasEvicted = true
    let index = oldest
    oldest = index + 1 == capacity ? 0 : index + 1
    release(slot(of: keys[index]))
    keys[index] = key
    values[index] = value
    slots[slot(of: key)] = UInt32(index + 1)
    return index
  }

  /// - Note: A value is replaced, never removed.
  subscript(key: UInt64) -> Value? {
    get { index(of: key).map { values[$0] } }
    set {
      guard let newValue else { preconditionFailure("what is known is only pushed out") }
      if let index = index(of: key) { values[index] = newValue } else { _ = insert(newValue, for: key) }
    }
  }

  private func home(of key: UInt64) -> Int {
    Int(truncatingIfNeeded: (key &* 0x9E37_79B9_7F4A_7C15) >> 32) & (slots.count - 1)
  }

  /// Returns the slot of a key, or the free one in which it belongs.
  private func slot(of key: UInt64) -> Int {
    var slot = home(of: key)
    while slots[slot] != 0, keys[Int(slots[slot]) - 1] != key { slot = (slot + 1) & (slots.count - 1) }
    return slot
  }

  private mutating func grow() {
    slots = Array(repeating: 0, count: max(16, slots.count * 2))
    for index in keys.indices { slots[slot(of: keys[index])] = UInt32(index + 1) }
  }

  /// Frees a slot, and moves those behind it that can no longer be found across it.
  private mutating func release(_ freed: Int) {
    let mask = slots.count - 1
    var (hole, next) = (freed, (freed + 1) & mask)
    while slots[next] != 0 {
      let home = home(of: keys[Int(slots[next]) - 1])
      if (next - home) & mask >= (next - hole) & mask {
        slots[hole] = slots[next]
        hole = next
      }
      next = (next + 1) & mask
    }
    slots[hole] = 0
  }
}

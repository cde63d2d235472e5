/// A dictionary of bounded size that evicts the oldest key.
struct RecentTable<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  let capacity: Int
  private var values: [Key: Value] = [:]
  private var order: [Key] = []
  private var oldest = 0

  init(capacity: Int) { self.capacity = capacity }

  var count: Int { values.count }
  var all: Dictionary<Key, Value>.Values { values.values }

  /// - Note: A value is replaced, never removed.
  subscript(key: Key) -> Value? {
    get { values[key] }
    set {
      guard let newValue else { preconditionFailure("what is known is only pushed out") }
      if values.updateValue(newValue, forKey: key) != nil { return }
      if order.count < capacity {
        order.append(key)
      } else {
        values[order[oldest]] = nil
        order[oldest] = key
        oldest = (oldest + 1) % capacity
      }
    }
  }
}

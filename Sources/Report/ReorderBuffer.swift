/// The exchanges of a sandbox that ended, and wait for the end of an earlier one.
///
/// Exchanges end in another order than they came in: a write that was only slow ends after the one that was sent in
/// its place. They are judged in the order in which they came, so what ends while an earlier one is under way waits for
/// that, within bounds.
package struct ReorderBuffer: Sendable {
  /// The maximum number of exchanges that wait.
  static let maximumWaiting = 256

  /// An exchange that waits. A class, because moving the observations themselves would cost more than the rest of an
  /// exchange.
  private final class Waiting: Sendable {
    let seen: Observation

    init(_ seen: Observation) { self.seen = seen }
  }

  /// The ids of exchanges that are under way, in the order in which they came, after those that have left.
  private var underWay: [Int] = []
  /// The index of the first exchange that is under way: with many at once most leave at the front, and moving all
  /// others each time would cost more than the rest of an exchange.
  private var firstUnderWay = 0
  /// Those that wait, in the order in which they came.
  private var waiting: [Waiting] = []

  package init() {}

  /// The exchanges that wait, in the order in which they came.
  package var observations: [Observation] { waiting.map(\.seen) }

  /// The number of exchanges that wait.
  package var count: Int { waiting.count }

  package var isEmpty: Bool { waiting.isEmpty }

  /// Records an exchange that is under way; its id is higher than those before. One that ends within its event is never
  /// recorded.
  package mutating func begin(_ id: Int) { underWay.append(id) }

  /// Records that an exchange is no longer under way.
  package mutating func end(_ id: Int) {
    let index = underWay.count(while: { $0 <= id }) - 1
    guard index >= firstUnderWay, underWay[index] == id else { return }
    if index == underWay.count - 1 {
      underWay.removeLast()
      return
    }
    guard index == firstUnderWay else {
      underWay.remove(at: index)
      return
    }
    firstUnderWay += 1
    // At most as many are moved as have left since the last time.
    guard firstUnderWay * 2 > underWay.count else { return }
    underWay.removeFirst(firstUnderWay)
    firstUnderWay = 0
  }

  /// Forgets the exchanges that came before an id.
  package mutating func drop(before id: Int) {
    underWay.removeFirst(max(firstUnderWay, underWay.count(while: { $0 < id })))
    firstUnderWay = 0
    waiting.removeFirst(waiting.count(while: { $0.seen.id < id }))
  }

  /// True if no exchange that came before this one is under way or waits.
  package func isFirst(_ id: Int) -> Bool {
    (firstUnderWay == underWay.count || underWay[firstUnderWay] >= id)
      && (waiting.first.map { $0.seen.id >= id } ?? true)
  }

  /// Adds an exchange that waits.
  package mutating func add(_ seen: Observation) {
    waiting.insert(Waiting(seen), at: waiting.count(while: { $0.seen.id < seen.id }))
  }

  /// Removes and returns the first exchange, if it waits for no earlier one, or if too many wait.
  package mutating func next() -> Observation? {
    guard let first = waiting.first, waiting.count > Self.maximumWaiting || isFirst(first.seen.id) else { return nil }
    return removeFirst()
  }

  /// Removes and returns the first exchange, whatever it waits for.
  package mutating func removeFirst() -> Observation? { waiting.isEmpty ? nil : waiting.removeFirst().seen }
}

extension Array {
  /// Returns the number of elements before the first one that fails a condition, where all after that fail it, too.
  fileprivate func count(while isBefore: (Element) -> Bool) -> Int {
    // Mostly it is one of the last.
    guard let last, !isBefore(last) else { return count }
    var (lower, upper) = (0, count - 1)
    while lower < upper {
      let middle = (lower + upper) / 2
      if isBefore(self[middle]) { lower = middle + 1 } else { upper = middle }
    }
    return lower
  }
}

/// The exchanges of a sandbox that are not judged yet, by their ids.
///
/// Exchanges end in another order than they came in: a write that was only slow ends after the one that was sent in
/// its place. They are judged in the order in which they came, so what ends while an earlier one is under way waits for
/// that, within bounds.
package struct JudgingQueue: Sendable {
  /// The maximum number of exchanges that still wait for earlier ones after a batch is judged.
  static let maximumWaiting = 256
  /// The number of exchanges in a batch: few enough for a turn of the loop.
  package static let batch = 64
  /// The number of exchanges that ended at which the next batch is judged, even if the loop is busy.
  static let maximumEnded = 1_024

  /// The ids of exchanges that are under way, in the order in which they came, after those that have left.
  private var underWay: [Int] = []
  /// The index of the first exchange that is under way: with many at once most leave at the front, and moving all
  /// others each time would cost more than the rest of an exchange.
  private var firstUnderWay = 0
  /// The ids of those that ended, in the order in which they came.
  package private(set) var waiting: [Int] = []
  /// The number of waiting exchanges at which the next batch is worth judging.
  private var due = batch

  package init() {}

  /// True if a batch is complete, which is judged when the loop has nothing else to do.
  package var isBatchComplete: Bool { waiting.count >= due }

  /// True if a batch is to be judged at once.
  package var isFull: Bool { waiting.count >= Self.maximumEnded }

  /// The number of exchanges to judge now, from the first one: those that wait for no earlier one, or more if too many
  /// would remain.
  package var readyCount: Int {
    guard let last = waiting.last else { return 0 }
    let first = firstUnderWay < underWay.count ? underWay[firstUnderWay] : Int.max
    return first > last ? waiting.count : max(count(through: first), waiting.count - Self.maximumWaiting)
  }

  /// Returns the number of exchanges that ended, up to an id.
  package func count(through id: Int) -> Int { waiting.partition(through: id) }

  /// Records an exchange that waits; its id is higher than those before. One that ends within its event never waits.
  package mutating func begin(_ id: Int) { underWay.append(id) }

  /// Records that an exchange ended and is not to be judged.
  package mutating func drop(_ id: Int) {
    let index = underWay.partition(through: id) - 1
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
    underWay.removeFirst(max(firstUnderWay, underWay.partition(through: id - 1)))
    firstUnderWay = 0
    waiting.removeFirst(count(through: id - 1))
  }

  /// Records that an exchange ended.
  package mutating func end(_ id: Int) {
    drop(id)
    if let last = waiting.last, last > id {
      waiting.insert(id, at: count(through: id))
    } else {
      waiting.append(id)
    }
  }

  /// Removes the first exchanges that ended, which have been judged.
  package mutating func removeFirst(_ count: Int) {
    waiting.removeFirst(count)
    // What is left over of several complete batches is due at once; what waits for an earlier exchange is not.
    due = waiting.count - readyCount + Self.batch
  }
}

extension [Int] {
  /// Returns the number of elements up to a value, in an array in ascending order.
  fileprivate func partition(through value: Int) -> Int {
    // Mostly it is one of the last.
    guard let last, last > value else { return count }
    var (lower, upper) = (0, count - 1)
    while lower < upper {
      let middle = (lower + upper) / 2
      if self[middle] > value { upper = middle } else { lower = middle + 1 }
    }
    return lower
  }
}

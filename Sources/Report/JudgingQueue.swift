/// The exchanges of a sandbox that are not judged yet, by their ids.
///
/// Exchanges end in another order than they came in: a write that was only slow ends after the one that was sent in
/// its place. They are judged in the order in which they came, so what ends while an earlier one is under way waits for
/// that, within bounds.
package struct JudgingQueue: Sendable {
  /// The maximum number of exchanges that still wait for earlier ones after a batch is judged.
  static let maximumWaiting = 256
  /// The number of exchanges in a batch: few enough for a turn of the loop.
  static let batch = 64

  /// The ids of exchanges that are under way, in the order in which they came.
  private var underWay: [Int] = []
  /// The ids of those that ended, in the order in which they came.
  package private(set) var waiting: [Int] = []
  /// The number of waiting exchanges at which the next batch is judged.
  private var due = batch

  package init() {}

  /// True if a batch is complete.
  package var isBatchComplete: Bool { waiting.count >= due }

  /// The number of exchanges to judge now, from the first one: those that wait for no earlier one, or more if too many
  /// would remain.
  package var readyCount: Int {
    guard let last = waiting.last else { return 0 }
    let first = underWay.first ?? .max
    return first > last ? waiting.count : max(count(through: first), waiting.count - Self.maximumWaiting)
  }

  /// Returns the number of exchanges that ended, up to an id.
  package func count(through id: Int) -> Int { waiting.firstIndex { $0 > id } ?? waiting.count }

  /// Records that an exchange has come.
  package mutating func begin(_ id: Int) { underWay.append(id) }

  /// Records that an exchange ended and is not to be judged.
  package mutating func drop(_ id: Int) {
    if underWay.last == id {
      underWay.removeLast()
    } else if let index = underWay.firstIndex(of: id) {
      underWay.remove(at: index)
    }
  }

  /// Forgets the exchanges that came before an id.
  package mutating func drop(before id: Int) {
    underWay.removeAll { $0 < id }
    waiting.removeAll { $0 < id }
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
    due = waiting.count + Self.batch
  }
}

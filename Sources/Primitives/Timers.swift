/// Deadlines in a binary heap, the nearest first. Entries are never removed early: an owner that is woken too early
/// compares its own deadline and is scheduled again.
package struct Timers: Sendable {
  package struct Timer: Sendable, Equatable {
    package let deadline: MonotonicInstant
    package let token: UInt64
  }

  private var heap: [Timer] = []

  package init() {}

  package var next: MonotonicInstant? { heap.first?.deadline }
  package var count: Int { heap.count }

  package mutating func add(_ deadline: MonotonicInstant, token: UInt64) {
    heap.append(Timer(deadline: deadline, token: token))
    var child = heap.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard heap[child].deadline < heap[parent].deadline else { return }
      heap.swapAt(child, parent)
      child = parent
    }
  }

  /// Removes and returns an entry whose deadline has passed.
  package mutating func popDue(at now: MonotonicInstant) -> Timer? {
    guard let top = heap.first, top.deadline <= now else { return nil }
    heap.swapAt(0, heap.count - 1)
    heap.removeLast()
    siftDown()
    return top
  }

  private mutating func siftDown() {
    var parent = 0
    while true {
      let left = parent * 2 + 1
      guard left < heap.count else { return }
      let right = left + 1
      let child = right < heap.count && heap[right].deadline < heap[left].deadline ? right : left
      guard heap[child].deadline < heap[parent].deadline else { return }
      heap.swapAt(child, parent)
      parent = child
    }
  }
}

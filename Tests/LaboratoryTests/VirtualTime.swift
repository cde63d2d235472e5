import Contract
import LiveTesting
import Platform

@testable import Primitives
@testable import Understudy

/// A run's clock, which advances from event to event, and its seeded random numbers.
final class VirtualTime {
  private struct Event {
    let at: MonotonicInstant
    /// The order of events at the same instant.
    let number: Int
    let action: () -> Void

    func isBefore(_ other: Event) -> Bool { at == other.at ? number < other.number : at < other.at }
  }

  /// The wall clock's time at instant zero, a day in 2023.
  private static let epoch: Int64 = 1_690_000_000_000_000_000

  private let time = Locked<Int64>(1_000_000_000)
  private var heap: [Event] = []
  private var count = 0
  var random: FuzzRandom

  init(seed: UInt64) { random = FuzzRandom(seed: seed) }

  var now: MonotonicInstant { MonotonicInstant(nanoseconds: time.withLock { $0 }) }

  var clocks: Clocks {
    let time = time
    return Clocks(
      tick: { MonotonicInstant(nanoseconds: time.withLock { $0 }) },
      instant: { Instant(nanoseconds: Self.epoch + time.withLock { $0 }) })
  }

  /// Calls `action` at `moment`, or at once if it has passed.
  func at(_ moment: MonotonicInstant, _ action: @escaping () -> Void) {
    count += 1
    heap.append(Event(at: max(moment, now), number: count, action: action))
    var child = heap.count - 1
    while child > 0, heap[child].isBefore(heap[(child - 1) / 2]) {
      heap.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  func after(_ delay: Duration, _ action: @escaping () -> Void) { at(now + delay, action) }

  /// Performs the next event and moves the clock to it.
  ///
  /// - Returns: False if no event is left, or if the next one is later than `end`.
  func step(until end: MonotonicInstant) -> Bool {
    guard let next = heap.first, next.at <= end else { return false }
    heap.swapAt(0, heap.count - 1)
    heap.removeLast()
    sinkFirst()
    time.withLock { $0 = next.at.nanoseconds }
    next.action()
    return true
  }

  /// Drops all events, which may refer to their owners.
  func cancelAll() { heap = [] }

  private func sinkFirst() {
    var parent = 0
    while parent * 2 + 1 < heap.count {
      var child = parent * 2 + 1
      if child + 1 < heap.count, heap[child + 1].isBefore(heap[child]) { child += 1 }
      guard heap[child].isBefore(heap[parent]) else { return }
      heap.swapAt(child, parent)
      parent = child
    }
  }
}

extension VirtualTime {
  func fraction() -> Double { Double.random(in: 0..<1, using: &random) }

  func integer(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

  /// Returns true once in `count` times on average.
  func oneIn(_ count: Int) -> Bool { integer(1...count) == 1 }

  func pick<Element>(_ elements: [Element]) -> Element { elements[integer(0...elements.count - 1)] }

  func milliseconds(_ range: ClosedRange<Int>) -> Duration {
    .microseconds(integer(range.lowerBound * 1_000...range.upperBound * 1_000))
  }
}

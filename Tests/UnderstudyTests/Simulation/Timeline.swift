import Contract
import Platform

@testable import Primitives
@testable import Understudy

/// The events in the order of a virtual time, and the random numbers of the whole run.
///
/// Events of the same instant have a random order, because no order is guaranteed.
final class Timeline {
  private struct Event {
    let at: MonotonicInstant
    let tie: UInt64
    let action: () -> Void

    static func < (left: Event, right: Event) -> Bool {
      left.at == right.at ? left.tie < right.tie : left.at < right.at
    }
  }

  /// The machine's time at the beginning of the simulation, in 2023.
  static let epoch: Int64 = 1_690_000_000_000_000_000

  private let time = Locked<Int64>(1_000_000_000)
  private var heap: [Event] = []
  private var random: SplitMix64

  init(seed: UInt64) { random = SplitMix64(seed: seed) }

  var now: MonotonicInstant { MonotonicInstant(nanoseconds: time.withLock { $0 }) }
  var isEmpty: Bool { heap.isEmpty }

  var clocks: Clocks {
    let time = time
    return Clocks(
      tick: { MonotonicInstant(nanoseconds: time.withLock { $0 }) },
      instant: { Instant(nanoseconds: Self.epoch + time.withLock { $0 }) })
  }

  /// The moment at which the machine's clock, which journals show, says `instant`.
  static func tick(of instant: Instant) -> MonotonicInstant {
    MonotonicInstant(nanoseconds: instant.nanoseconds - epoch)
  }

  func after(_ delay: Duration, _ action: @escaping () -> Void) { at(now + delay, action) }

  func at(_ moment: MonotonicInstant, _ action: @escaping () -> Void) {
    heap.append(Event(at: max(moment, now), tie: random.next(), action: action))
    var child = heap.count - 1
    while child > 0, heap[child] < heap[(child - 1) / 2] {
      heap.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  /// Runs the next event; returns false if there is none.
  func step() -> Bool {
    guard !heap.isEmpty else { return false }
    heap.swapAt(0, heap.count - 1)
    let event = heap.removeLast()
    sink()
    time.withLock { $0 = event.at.nanoseconds }
    event.action()
    return true
  }

  private func sink() {
    var parent = 0
    while parent * 2 + 1 < heap.count {
      var child = parent * 2 + 1
      if child + 1 < heap.count, heap[child + 1] < heap[child] { child += 1 }
      guard heap[child] < heap[parent] else { return }
      heap.swapAt(child, parent)
      parent = child
    }
  }
}

extension Timeline {
  /// Returns true once in `count` times on average.
  func oneIn(_ count: UInt64) -> Bool { random.next() % count == 0 }

  func integer(_ range: ClosedRange<Int>) -> Int {
    range.lowerBound + Int(random.next() % UInt64(range.upperBound - range.lowerBound + 1))
  }

  func pick<Element>(_ choice: [Element]) -> Element { choice[integer(0...choice.count - 1)] }

  /// Returns no pause, a short one, or a long one, up to about this many milliseconds.
  func pause(upTo milliseconds: Int) -> Duration {
    switch random.next() % 4 {
    case 0: .zero
    case 1: .nanoseconds(integer(1...max(1, milliseconds) * 1_000))
    default: .microseconds(integer(1...max(1, milliseconds) * 1_000))
    }
  }
}

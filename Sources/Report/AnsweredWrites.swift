import Primitives

/// The writes that were answered last, with a success or a refusal. An attempt beside one of them that failed leaves
/// nothing unknown.
struct AnsweredWrites: Sendable {
  static let capacity = 64

  private struct Answered: Sendable {
    let identity: UInt64
    let key: UInt64?
    let end: MonotonicInstant
  }

  private var writes: [Answered] = []
  private var oldest = 0

  /// Adds a write if it was answered, in place of the oldest one.
  mutating func add(_ seen: Observation) {
    guard seen.isSuccess || seen.isRefused else { return }
    let new = Answered(identity: seen.identity, key: seen.key, end: seen.end)
    if writes.count < Self.capacity { return writes.append(new) }
    writes[oldest] = new
    oldest = (oldest + 1) % Self.capacity
  }

  /// Returns true if the same write was answered under its key, or later than it came.
  func contains(_ seen: Observation) -> Bool {
    writes.contains { other in
      other.identity == seen.identity && (other.key == seen.key && seen.key != nil || other.end > seen.arrival)
    }
  }
}

import Contract
import Primitives

/// A sandbox's time: the machine's time plus an advance, or a frozen time.
struct SandboxClock: Sendable, Equatable {
  @StoredNanoseconds private(set) var advance: Duration
  /// The sum of all advances, whether the clock was running or frozen.
  @StoredNanoseconds private(set) var advanced: Duration
  private(set) var frozenAt: Instant?

  init() {}

  /// Restores a clock from its three stored values.
  init(advance: Duration, advanced: Duration, frozenAt: Instant?) {
    self.advance = advance
    self.advanced = advanced
    self.frozenAt = frozenAt
  }

  var isFrozen: Bool { frozenAt != nil }

  func now(at real: Instant) -> Instant { frozenAt ?? real + $advance }

  mutating func freeze(at real: Instant) { frozenAt = now(at: real) }

  /// Resumes time at the frozen time.
  mutating func thaw(at real: Instant) {
    guard let frozenAt else { return }
    advance = frozenAt - real
    self.frozenAt = nil
  }

  mutating func advance(by duration: Duration) {
    advanced += duration
    if let moment = frozenAt { frozenAt = moment + duration } else { advance += duration }
  }
}

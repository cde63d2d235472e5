import Contract

/// A sandbox's time: the machine's, moved forward, or standing still.
struct SandboxClock: Sendable, Equatable {
  private var advance: Duration = .zero
  /// All that it was moved forward, whether it ran or stood still.
  private(set) var advanced: Duration = .zero
  private var frozenAt: Instant?

  init() {}

  var isFrozen: Bool { frozenAt != nil }

  func now(at real: Instant) -> Instant { frozenAt ?? real + advance }

  mutating func freeze(at real: Instant) {
    frozenAt = now(at: real)
  }

  /// Lets time run again from where it stood.
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

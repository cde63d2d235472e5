import Contract

/// A sandbox's time: the machine's, moved forward, or standing still.
struct SandboxClock: Sendable, Equatable {
  private(set) var advance: Duration = .zero
  /// All that it was moved forward, whether it ran or stood still.
  private(set) var advanced: Duration = .zero
  private(set) var frozenAt: Instant?

  init() {}

  /// The clock whose three readings were kept.
  init(advance: Duration, advanced: Duration, frozenAt: Instant?) {
    self.advance = advance
    self.advanced = advanced
    self.frozenAt = frozenAt
  }

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

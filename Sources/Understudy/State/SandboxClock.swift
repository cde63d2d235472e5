package import Contract

/// A sandbox's time: the machine's, moved forward, or standing still.
package struct SandboxClock: Sendable, Equatable {
  private var advance: Duration = .zero
  private var frozenAt: Instant?

  package init() {}

  package var isFrozen: Bool { frozenAt != nil }

  package func now(at real: Instant) -> Instant { frozenAt ?? real + advance }

  package mutating func freeze(at real: Instant) {
    frozenAt = now(at: real)
  }

  /// Lets time run again from where it stood.
  package mutating func thaw(at real: Instant) {
    guard let frozenAt else { return }
    advance = frozenAt - real
    self.frozenAt = nil
  }

  package mutating func advance(by duration: Duration) {
    if let moment = frozenAt { frozenAt = moment + duration } else { advance += duration }
  }
}

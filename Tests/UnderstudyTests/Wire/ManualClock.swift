import Contract

@testable import Understudy

/// A machine's clocks that stand still until a test moves them.
final class ManualClock: Sendable {
  private let passed = Locked(Duration.zero)

  var clocks: Backend.Clocks {
    let (passed, tick, instant) = (passed, SystemClock.tick(), SystemClock.instant())
    return Backend.Clocks(
      tick: { tick + passed.withLock { $0 } }, instant: { instant + passed.withLock { $0 } })
  }

  /// Moves the time of a server, and returns when its loop has done what was due by then and has sent it.
  func advance(by duration: Duration, _ server: MockServer) async {
    passed.withLock { $0 += duration }
    // Timers are looked at behind the letters of a turn, and replies are sent before those of the next.
    for _ in 0..<2 { _ = await server.connectionCount() }
  }
}

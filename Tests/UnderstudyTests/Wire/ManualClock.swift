import Contract
import Platform
import Primitives

@testable import Understudy

/// A machine's clocks, which stand still until a test moves them.
final class ManualClock: Sendable {
  private let passed = Locked(Duration.zero)

  var clocks: Clocks {
    let (passed, tick, instant) = (passed, SystemClock.tick(), SystemClock.instant())
    return Clocks(
      tick: { tick + passed.withLock { $0 } }, instant: { instant + passed.withLock { $0 } })
  }

  func advance(by duration: Duration) { passed.withLock { $0 += duration } }

  /// Advances a server's time, and returns when its loop has handled the due timers and has sent the output.
  func advance(by duration: Duration, _ server: MockServer) async {
    advance(by: duration)
    // Timers run after the jobs of a turn, and responses are sent before the jobs of the next.
    for _ in 0..<2 { _ = await server.connectionCount() }
  }
}

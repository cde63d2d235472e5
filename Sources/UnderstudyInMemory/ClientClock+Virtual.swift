public import Foundation
public import Understudy
public import UnderstudyClient

/// A clock for tests, whose time passes only when a task sleeps or a test advances it.
public typealias VirtualClock = Understudy.VirtualClock

extension ClientClock {
  /// Creates the client's clock from a virtual one. Give it to the client and to the server in memory, so that both have
  /// the same time.
  ///
  /// - Parameters:
  ///   - clock: The source of time.
  ///   - start: The date at which the clock was created.
  public init(_ clock: VirtualClock, from start: Date = Date(timeIntervalSince1970: 1_700_000_000)) {
    self.init(
      elapsed: { clock.now.elapsed },
      date: {
        let (seconds, attoseconds) = clock.now.elapsed.components
        return start.addingTimeInterval(Double(seconds) + Double(attoseconds) / 1e18)
      },
      sleep: { try await clock.sleep(for: $0) })
  }
}

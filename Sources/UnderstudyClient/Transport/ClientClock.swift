public import Foundation

/// The client's source of time. Tests replace it, and never sleep.
public struct ClientClock: Sendable {
  /// Returns the time since a fixed point in the past; it continues while the device sleeps.
  public var elapsed: @Sendable () -> Duration
  /// Returns the date of the wall clock, for dates that are stored and displayed.
  public var date: @Sendable () -> Date
  /// Waits, and throws `CancellationError` when the task is cancelled.
  public var sleep: @Sendable (Duration) async throws -> Void

  /// Creates a clock from its three functions.
  public init(
    elapsed: @escaping @Sendable () -> Duration, date: @escaping @Sendable () -> Date,
    sleep: @escaping @Sendable (Duration) async throws -> Void
  ) {
    self.elapsed = elapsed
    self.date = date
    self.sleep = sleep
  }

  /// The clock of the system.
  public static let system: ClientClock = {
    let start = ContinuousClock.now
    return ClientClock(
      elapsed: { ContinuousClock.now - start }, date: { Date() },
      sleep: { duration in try await Task.sleep(for: duration) })
  }()
}

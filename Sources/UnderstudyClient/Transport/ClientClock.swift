public import Foundation

/// The time as the client sees it. Tests put their own in its place, and never sleep.
public struct ClientClock: Sendable {
  /// The time since a moment in the past that stays the same; it runs on while the device sleeps.
  public var elapsed: @Sendable () -> Duration
  /// The wall clock, for dates that are kept and shown.
  public var date: @Sendable () -> Date
  /// Waits, and throws `CancellationError` when the task is cancelled.
  public var sleep: @Sendable (Duration) async throws -> Void

  public init(
    elapsed: @escaping @Sendable () -> Duration, date: @escaping @Sendable () -> Date,
    sleep: @escaping @Sendable (Duration) async throws -> Void
  ) {
    self.elapsed = elapsed
    self.date = date
    self.sleep = sleep
  }

  public static let system: ClientClock = {
    let start = ContinuousClock.now
    return ClientClock(
      elapsed: { ContinuousClock.now - start }, date: { Date() },
      sleep: { duration in try await Task.sleep(for: duration) })
  }()
}

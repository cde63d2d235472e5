import Foundation

/// Wakes the loops that follow a model.
final class WakeUps: @unchecked Sendable {
  /// The shortest pause of a loop: no setting makes an app send requests without a pause.
  static let minimumPause = Duration.seconds(1)

  private struct Loop {
    let wake: AsyncStream<Void>.Continuation
    var round: Task<Duration, Never>?
  }

  private let lock = NSLock()
  private var loops: [UUID: Loop] = [:]

  /// Begins the next round of every loop: after the current one, or in its place.
  ///
  /// - Parameter endsRounds: True to cancel the current round, whose request or stream may never be answered.
  /// - Returns: False if there is no loop.
  @discardableResult
  func send(endingRounds endsRounds: Bool = false) -> Bool {
    let loops = lock.withLock { Array(self.loops.values) }
    for loop in loops {
      loop.wake.yield()
      if endsRounds { loop.round?.cancel() }
    }
    return !loops.isEmpty
  }

  /// Calls `round` until the task is cancelled: at once, and then after each pause and each wake-up.
  ///
  /// - Parameters:
  ///   - clock: The source of time.
  ///   - round: Returns the pause that follows.
  func loop(_ clock: ClientClock, _ round: @escaping @Sendable () async -> Duration) async {
    let (wakeUps, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let id = UUID()
    lock.withLock { loops[id] = Loop(wake: wake) }
    defer { lock.withLock { loops[id] = nil } }
    wake.yield()
    var timer: Task<Void, any Error>?
    // The stream ends when the task is cancelled.
    for await _ in wakeUps {
      timer?.cancel()
      // A wake-up that ends rounds finds this one from its beginning.
      let task = lock.withLock {
        let task = Task { await round() }
        loops[id]?.round = task
        return task
      }
      let pause = await withTaskCancellationHandler {
        await task.value
      } onCancel: {
        task.cancel()
      }
      timer = Task {
        try await clock.sleep(max(pause, Self.minimumPause))
        wake.yield()
      }
    }
    timer?.cancel()
  }
}

extension BackendClient {
  /// Returns an interval that is varied by a fraction, so that many devices do not send their requests at the same time.
  func varied(_ interval: Duration, by jitter: Double = 0.1) -> Duration {
    interval * (1 + jitter * (2 * configuration.random() - 1))
  }
}

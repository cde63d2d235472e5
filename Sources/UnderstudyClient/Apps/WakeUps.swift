import Foundation

/// Wakes the loops that follow a model.
final class WakeUps: @unchecked Sendable {
  /// The shortest pause of a loop: no setting makes an app send requests without a pause.
  static let minimumPause = Duration.seconds(1)

  private let lock = NSLock()
  private var loops: [UUID: AsyncStream<Void>.Continuation] = [:]

  /// Ends the pause of every loop.
  ///
  /// - Returns: False if there is no loop.
  @discardableResult
  func send() -> Bool {
    let loops = lock.withLock { Array(self.loops.values) }
    for loop in loops { loop.yield() }
    return !loops.isEmpty
  }

  /// Calls `body` until the task is cancelled: at once, and then after each pause and each wake-up.
  ///
  /// - Parameters:
  ///   - clock: The source of time.
  ///   - body: Returns the pause that follows; nil to wait for a wake-up.
  func loop(
    _ clock: ClientClock, isolation: isolated (any Actor)? = #isolation, _ body: () async -> Duration?
  ) async {
    let (stream, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let id = UUID()
    lock.withLock { loops[id] = wake }
    defer { lock.withLock { loops[id] = nil } }
    var wakeUps = stream.makeAsyncIterator()
    while !Task.isCancelled {
      let timer = await body().map { pause in
        Task {
          try await clock.sleep(max(pause, Self.minimumPause))
          wake.yield()
        }
      }
      // The stream ends when the task is cancelled.
      let isOver = await wakeUps.next(isolation: isolation) == nil
      timer?.cancel()
      if isOver { return }
    }
  }
}

extension BackendClient {
  /// Returns an interval that is varied by a fraction, so that many devices do not send their requests at the same time.
  func varied(_ interval: Duration, by jitter: Double = 0.1) -> Duration {
    interval * (1 + jitter * (2 * configuration.random() - 1))
  }
}

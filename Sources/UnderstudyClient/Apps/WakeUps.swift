import Foundation

/// Wakes the loops that follow a model.
///
/// Several may follow it at the same time, such as two screens. The one with the shortest interval requests; the others
/// wait until it ends, so that they cause no further traffic.
final class WakeUps: @unchecked Sendable {
  /// The shortest pause of a loop: no setting makes an app send requests without a pause.
  static let minimumPause = Duration.seconds(1)

  private struct Loop {
    let interval: Duration
    let wake: AsyncStream<Void>.Continuation
    var round: Task<Duration, Never>?
  }

  private let lock = NSLock()
  /// The loops by their numbers, in the order in which they began.
  private var loops: [Int: Loop] = [:]
  private var lastNumber = 0

  /// The number of the loop that requests: of equal intervals, the one that began first.
  private var leader: Int? { loops.min { ($0.value.interval, $0.key) < ($1.value.interval, $1.key) }?.key }

  /// The number of loops that follow the model.
  var followerCount: Int { lock.withLock { loops.count } }

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

  /// Calls `round` until the task is cancelled: at once, and then after each pause and each wake-up. While another loop
  /// requests, it waits.
  ///
  /// - Parameters:
  ///   - clock: The source of time.
  ///   - interval: The usual pause, by which the loops are compared.
  ///   - round: Returns the pause that follows.
  func loop(
    _ clock: ClientClock, every interval: Duration, _ round: @escaping @Sendable () async -> Duration
  ) async {
    let (wakeUps, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let number = add(Loop(interval: interval, wake: wake))
    defer { remove(number) }
    wake.yield()
    var timer: Task<Void, any Error>?
    // The stream ends when the task is cancelled.
    for await _ in wakeUps {
      timer?.cancel()
      guard let task = begin(round, of: number) else { continue }
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

  private func add(_ loop: Loop) -> Int {
    lock.withLock {
      lastNumber += 1
      loops[lastNumber] = loop
      return lastNumber
    }
  }

  /// Removes a loop. If it requested, the next one begins.
  private func remove(_ number: Int) {
    let next = lock.withLock {
      let isLeader = leader == number
      loops[number] = nil
      return isLeader ? leader.flatMap { loops[$0]?.wake } : nil
    }
    next?.yield()
  }

  /// Begins a round of a loop, unless another loop requests. A wake-up that ends rounds finds it from its beginning.
  private func begin(_ round: @escaping @Sendable () async -> Duration, of number: Int) -> Task<Duration, Never>? {
    lock.withLock {
      guard leader == number else { return nil }
      let task = Task { await round() }
      loops[number]?.round = task
      return task
    }
  }
}

extension BackendClient {
  /// Returns an interval that is varied by a fraction, so that many devices do not send their requests at the same time.
  func varied(_ interval: Duration, by jitter: Double = 0.1) -> Duration {
    interval * (1 + jitter * (2 * configuration.random() - 1))
  }
}

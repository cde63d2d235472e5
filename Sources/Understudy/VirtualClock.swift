import Platform

/// A clock for tests, whose time passes only when a task sleeps or a test advances it.
///
/// By default a sleep advances the clock to its end and returns at once, so that delays and retries take no real time. A
/// clock that is advanced by hand holds every sleep until then:
///
///     let clock = VirtualClock(advancesBySleeping: false)
///     let following = Task { await model.follow() }
///     await clock.waitForSleepers()
///     clock.advance(by: .seconds(60))
public final class VirtualClock: Clock {
  /// A time of the clock.
  public struct Instant: InstantProtocol {
    /// The time since the clock was created.
    public let elapsed: Duration

    public func advanced(by duration: Duration) -> Instant { Instant(elapsed: elapsed + duration) }
    public func duration(to other: Instant) -> Duration { other.elapsed - elapsed }
    public static func < (one: Instant, other: Instant) -> Bool { one.elapsed < other.elapsed }
  }

  private struct Sleeper: Sendable {
    let id: Int
    let deadline: Instant
    let continuation: CheckedContinuation<Void, any Error>
  }

  private struct State: Sendable {
    var now = Instant(elapsed: .zero)
    var sleepers: [Sleeper] = []
    var lastID = 0
    /// The sleeps that were cancelled before they began.
    var cancelled: Set<Int> = []
    /// The tasks that wait for a number of sleepers.
    var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []

    /// Removes the watchers whose number is reached.
    mutating func takeWatchers() -> [CheckedContinuation<Void, Never>] {
      let reached = watchers.filter { $0.count <= sleepers.count }
      watchers.removeAll { $0.count <= sleepers.count }
      return reached.map(\.continuation)
    }
  }

  private let state = Locked(State())
  private let advancesBySleeping: Bool

  /// Creates a clock.
  ///
  /// - Parameter advancesBySleeping: False if only `advance(by:)` lets time pass.
  public init(advancesBySleeping: Bool = true) { self.advancesBySleeping = advancesBySleeping }

  public var now: Instant { state.withLock { $0.now } }
  public var minimumResolution: Duration { .nanoseconds(1) }

  /// Lets time pass, and ends the sleeps whose time has come, in the order of their deadlines.
  public func advance(by duration: Duration) {
    let due = state.withLock { state in
      state.now = state.now.advanced(by: duration)
      let due = state.sleepers.filter { $0.deadline <= state.now }
      state.sleepers.removeAll { $0.deadline <= state.now }
      return due
    }
    for sleeper in due.sorted(by: { $0.deadline < $1.deadline }) { sleeper.continuation.resume() }
  }

  /// Waits until tasks sleep by this clock, because a sleep that begins after `advance(by:)` is not ended by it.
  ///
  /// - Parameter count: The number of sleeping tasks.
  public func waitForSleepers(_ count: Int = 1) async {
    await withCheckedContinuation { continuation in
      let reached = state.withLock { state in
        state.watchers.append((count, continuation))
        return state.takeWatchers()
      }
      for watcher in reached { watcher.resume() }
    }
  }

  /// Sleeps until a time of this clock. The tolerance is ignored.
  ///
  /// - Throws: `CancellationError`, when the task is cancelled.
  public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
    try Task.checkCancellation()
    if advancesBySleeping {
      state.withLock { $0.now = max($0.now, deadline) }
      // Other tasks take their turn, as during a real sleep.
      return await Task.yield()
    }
    let id = state.withLock { state in
      state.lastID += 1
      return state.lastID
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        begin(Sleeper(id: id, deadline: deadline, continuation: continuation))
      }
    } onCancel: {
      cancel(id)
    }
  }

  private func begin(_ sleeper: Sleeper) {
    let (end, watchers) = state.withLock { state -> (Result<Void, any Error>?, [CheckedContinuation<Void, Never>]) in
      if state.cancelled.remove(sleeper.id) != nil { return (.failure(CancellationError()), []) }
      if sleeper.deadline <= state.now { return (.success(()), []) }
      state.sleepers.append(sleeper)
      return (nil, state.takeWatchers())
    }
    if let end { sleeper.continuation.resume(with: end) }
    for watcher in watchers { watcher.resume() }
  }

  private func cancel(_ id: Int) {
    let sleeper = state.withLock { state -> Sleeper? in
      guard let index = state.sleepers.firstIndex(where: { $0.id == id }) else {
        state.cancelled.insert(id)
        return nil
      }
      return state.sleepers.remove(at: index)
    }
    sleeper?.continuation.resume(throwing: CancellationError())
  }
}

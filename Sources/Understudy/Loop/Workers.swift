import Dispatch
import Platform

/// Threads that work for the loop. They own nothing: the loop passes values to them and gets a value back.
///
/// A thread waits a second for further work, because creating one can cost more than the work. An idle server has none.
final class Workers: Sendable {
  private struct Queue {
    var jobs: [@Sendable () -> Void] = []
    var next = 0
    var threads = 0
    /// The number of threads that wait for work, with those that have been woken and have not taken any yet.
    var waiting = 0

    mutating func pop() -> (@Sendable () -> Void)? {
      guard next < jobs.count else {
        jobs = []
        next = 0
        return nil
      }
      defer { next += 1 }
      return jobs[next]
    }

    /// Returns true if the jobs are more than the waiting threads can take, and a further thread may be created.
    mutating func beginThread(atMost maximum: Int) -> Bool {
      guard jobs.count - next > waiting, threads < maximum else { return false }
      threads += 1
      return true
    }
  }

  private let queue = Locked(Queue())
  private let wakeups = DispatchSemaphore(value: 0)
  private let maximumThreads: Int
  private let isBackground: Bool

  /// The time for which a thread waits for further work.
  private static let maximumWaitInSeconds = 1.0

  /// Creates a pool.
  ///
  /// - Parameter isBackground: True if the threads run at a lower priority than the loop's.
  init(maximumThreads: Int = 2, isBackground: Bool = true) {
    self.maximumThreads = maximumThreads
    self.isBackground = isBackground
  }

  /// Frees a value on another thread.
  func discard(_ value: some Sendable) {
    let handover = Handover(value)
    run({ handover.clear() }, completion: { _ in })
  }

  /// Runs `body` on a thread, if necessary after other work, and passes its result to `completion` on that thread.
  func run<Result: Sendable>(_ body: @escaping @Sendable () -> Result, completion: @escaping @Sendable (Result) -> Void)
  {
    let (isThreadNeeded, isAnyWaiting) = queue.withLock { queue in
      queue.jobs.append { completion(body()) }
      return (queue.beginThread(atMost: maximumThreads), queue.waiting > 0)
    }
    guard isThreadNeeded else {
      if isAnyWaiting { wakeups.signal() }
      return
    }
    do throws(SystemError) {
      try LoopThread.start { [isBackground] in
        if isBackground { LoopThread.lowerPriority() }
        while let job = self.nextJob() { job() }
      }
    } catch {
      // If no thread can be created, the caller does the work itself.
      while let job = queue.withLock({ queue in
        let job = queue.pop()
        // In one step, so that a job that comes now begins a thread of its own.
        if job == nil { queue.threads -= 1 }
        return job
      }) { job() }
    }
  }

  /// Waits for the next job; returns nil if none comes within `maximumWaitInSeconds`, so that the thread ends.
  private func nextJob() -> (@Sendable () -> Void)? {
    while true {
      let job = queue.withLock { queue in
        let job = queue.pop()
        if job == nil { queue.waiting += 1 }
        return job
      }
      if let job { return job }
      let isWoken = wakeups.wait(timeout: .now() + Self.maximumWaitInSeconds) == .success
      let hasEnded = queue.withLock { queue in
        queue.waiting -= 1
        // A job may have come at the last moment.
        guard !isWoken, queue.next == queue.jobs.count else { return false }
        queue.threads -= 1
        return true
      }
      if hasEnded { return nil }
    }
  }
}

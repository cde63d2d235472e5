import Platform

/// Threads that work for the loop. They own nothing: the loop passes values to them and gets a value back.
///
/// A thread lives as long as there is work, so an idle server has none.
final class Workers: Sendable {
  private struct Queue {
    var jobs: [@Sendable () -> Void] = []
    var next = 0
    var threads = 0

    mutating func pop() -> (@Sendable () -> Void)? {
      guard next < jobs.count else {
        jobs = []
        next = 0
        threads -= 1
        return nil
      }
      defer { next += 1 }
      return jobs[next]
    }
  }

  private let queue = Locked(Queue())
  private let maximumThreads: Int
  private let isBackground: Bool

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
    let isThreadNeeded = queue.withLock { queue in
      queue.jobs.append { completion(body()) }
      guard queue.threads < maximumThreads else { return false }
      queue.threads += 1
      return true
    }
    guard isThreadNeeded else { return }
    do throws(SystemError) {
      try LoopThread.start { [isBackground] in
        if isBackground { LoopThread.lowerPriority() }
        self.work()
      }
    } catch {
      // If no thread can be created, the caller does the work itself.
      work()
    }
  }

  private func work() { while let job = queue.withLock({ $0.pop() }) { job() } }
}

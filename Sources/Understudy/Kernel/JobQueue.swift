import Platform

/// The queue by which other threads reach the loop: jobs, and a wakeup pipe for the poller.
final class JobQueue<Job: Sendable>: Sendable {
  private struct State: Sendable {
    var jobs: [Job] = []
    var isClosed = false
  }

  private let state = Locked(State())
  private let wakeup: WakeupPipe

  init() throws(SystemError) { wakeup = try WakeupPipe() }

  /// The reading end of the wakeup pipe, readable when a job arrives.
  var descriptor: Int32 { wakeup.reader.number }

  /// Adds a job; returns false if the queue is closed.
  @discardableResult
  func post(_ job: Job) -> Bool {
    let isTaken = state.withLock { state in
      if !state.isClosed { state.jobs.append(job) }
      return !state.isClosed
    }
    guard isTaken else { return false }
    wakeup.wake()
    return true
  }

  /// Removes all jobs, and resets the wakeup.
  func collect() -> [Job] {
    wakeup.reset()
    return removeAll(closing: false)
  }

  /// Closes the queue to new jobs, and returns the earlier ones.
  func close() -> [Job] { removeAll(closing: true) }

  private func removeAll(closing: Bool) -> [Job] {
    state.withLock { state in
      if closing { state.isClosed = true }
      defer { state.jobs = [] }
      return state.jobs
    }
  }
}

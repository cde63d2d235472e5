import Foundation

/// Threads for tasks that block: each job gets an idle thread, or else a new one.
///
/// Swift's own pool has one thread for each core. Two blocked tests would stop every task of a process on two cores.
@available(macOS 15, iOS 18, *)
final class BlockingThreads: TaskExecutor, @unchecked Sendable {
  static let shared = BlockingThreads()
  private static let idleSeconds = 5.0

  private let condition = NSCondition()
  private var jobs: [UnownedJob] = []
  private var idleThreads = 0

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    condition.withLock {
      jobs.append(job)
      if idleThreads >= jobs.count { condition.signal() } else { Thread.detachNewThread { self.runJobs() } }
    }
  }

  private func runJobs() {
    while let job = nextJob() { unsafe job.runSynchronously(on: asUnownedTaskExecutor()) }
  }

  private func nextJob() -> UnownedJob? {
    condition.withLock {
      idleThreads += 1
      defer { idleThreads -= 1 }
      while jobs.isEmpty {
        guard condition.wait(until: Date() + Self.idleSeconds) else { break }
      }
      return jobs.isEmpty ? nil : jobs.removeFirst()
    }
  }
}

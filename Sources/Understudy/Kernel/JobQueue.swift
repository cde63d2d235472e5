#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The queue by which other threads reach the loop: jobs, and a wakeup pipe for the poller.
final class JobQueue<Job: Sendable>: Sendable {
  private struct State: Sendable {
    var jobs: [Job] = []
    var isClosed = false
  }

  private let state = Locked(State())
  private let wakeup: (reader: Int32, writer: Int32)

  init() throws(SystemError) {
    var ends: [Int32] = [-1, -1]
    guard unsafe pipe(&ends) == 0 else { throw SystemError("pipe") }
    for end in ends {
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
    }
    wakeup = (ends[0], ends[1])
  }

  deinit {
    for end in [wakeup.reader, wakeup.writer] { Self.close(descriptor: end) }
  }

  private static func close(descriptor: Int32) {
    #if canImport(Glibc)
      _ = Glibc.close(descriptor)
    #elseif canImport(Musl)
      _ = Musl.close(descriptor)
    #else
      _ = Darwin.close(descriptor)
    #endif
  }

  /// The reading end of the wakeup pipe, readable when a job arrives.
  var descriptor: Int32 { wakeup.reader }

  /// Adds a job; returns false if the queue is closed.
  @discardableResult
  func post(_ job: Job) -> Bool {
    let isTaken = state.withLock { state in
      if !state.isClosed { state.jobs.append(job) }
      return !state.isClosed
    }
    guard isTaken else { return false }
    var byte: UInt8 = 1
    _ = unsafe write(wakeup.writer, &byte, 1)
    return true
  }

  /// Removes all jobs, and resets the wakeup.
  func collect() -> [Job] {
    var bytes = [UInt8](repeating: 0, count: 64)
    while unsafe read(wakeup.reader, &bytes, bytes.count) == bytes.count {}
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

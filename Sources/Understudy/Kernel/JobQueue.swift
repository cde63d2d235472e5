#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The queue by which other threads reach the loop: jobs, and a wakeup pipe for the poller.
final class JobQueue<Job: Sendable>: Sendable {
  private struct Box: Sendable {
    var jobs: [Job] = []
    var isClosed = false
  }

  private let box = Locked(Box())
  private let bell: (reader: Int32, writer: Int32)

  init() throws(SystemError) {
    var ends: [Int32] = [-1, -1]
    guard unsafe pipe(&ends) == 0 else { throw SystemError("pipe") }
    for end in ends {
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
    }
    bell = (ends[0], ends[1])
  }

  deinit {
    for end in [bell.reader, bell.writer] { Self.close(descriptor: end) }
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
  var descriptor: Int32 { bell.reader }

  /// Adds a job; returns false if the queue is closed.
  @discardableResult
  func post(_ job: Job) -> Bool {
    let isTaken = box.withLock { box in
      if !box.isClosed { box.jobs.append(job) }
      return !box.isClosed
    }
    guard isTaken else { return false }
    var ring: UInt8 = 1
    _ = unsafe write(bell.writer, &ring, 1)
    return true
  }

  /// Removes all jobs, and resets the wakeup.
  func collect() -> [Job] {
    var rings = [UInt8](repeating: 0, count: 64)
    while unsafe read(bell.reader, &rings, rings.count) == rings.count {}
    return take(closing: false)
  }

  /// Closes the queue to new jobs, and returns the earlier ones.
  func close() -> [Job] { take(closing: true) }

  private func take(closing: Bool) -> [Job] {
    box.withLock { box in
      if closing { box.isClosed = true }
      defer { box.jobs = [] }
      return box.jobs
    }
  }
}

import Platform

/// Long work of an exchange, done off the loop: a function of values that returns a value.
struct Work: Sendable {
  /// The purpose of the work: an exchange needs at most one of each at a time.
  enum Purpose: Sendable, Equatable {
    /// The response of an operation, and the new state.
    case evaluation
    /// A representation of a known value.
    case rendering
    /// The plan's damage to a response.
    case damage
    /// The digest of the body of a request with an `Idempotency-Key`.
    case digest
    /// The response of a source that is not the sandbox's state.
    case question
  }

  let purpose: Purpose
  /// The ordinal of the exchange.
  let exchange: Int
  private let once: Locked<(@Sendable () -> any Sendable)?>

  init(purpose: Purpose, exchange: Int, body: @escaping @Sendable () -> any Sendable) {
    self.purpose = purpose
    self.exchange = exchange
    once = Locked(body)
  }

  /// Computes the value, once. The computing thread frees the inputs, which may be large.
  func body() -> any Sendable {
    guard let body = once.withLock({ $0.take() }) else { preconditionFailure("a work is done once") }
    return body()
  }
}

extension Work: Equatable {
  static func == (left: Work, right: Work) -> Bool { left.exchange == right.exchange && left.purpose == right.purpose }
}

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

  /// Creates a pool.
  ///
  /// - Parameter maximumThreads: More than the number of processors, so that short work does not wait for all long
  ///   work.
  init(maximumThreads: Int = 4) { self.maximumThreads = maximumThreads }

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
      try LoopThread.start { self.work() }
    } catch {
      // If no thread can be created, the caller does the work itself.
      work()
    }
  }

  private func work() { while let job = queue.withLock({ $0.pop() }) { job() } }
}

/// Long work of an exchange that is done off the loop: values go in, and a value comes out.
struct Work: Sendable {
  /// What is worked out: an exchange needs each at most once at a time.
  enum Purpose: Sendable, Equatable {
    /// What an operation answers, and what it makes of the state.
    case evaluation
    /// A representation of what is known already.
    case rendering
    /// The harm that the plan does to a reply.
    case damage
  }

  let purpose: Purpose
  /// The ordinal of the exchange that needs it.
  let exchange: Int
  private let once: Locked<(@Sendable () -> any Sendable)?>

  init(purpose: Purpose, exchange: Int, body: @escaping @Sendable () -> any Sendable) {
    self.purpose = purpose
    self.exchange = exchange
    once = Locked(body)
  }

  /// Works the value out, once. The thread that does so frees what it was made of: that may be large.
  func body() -> any Sendable {
    guard let body = once.withLock({ $0.take() }) else { preconditionFailure("a work is done once") }
    return body()
  }
}

extension Work: Equatable {
  static func == (left: Work, right: Work) -> Bool { left.exchange == right.exchange && left.purpose == right.purpose }
}

/// Threads that do work for the loop. They own nothing: the loop hands them values and is handed a value back.
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

  /// - Parameter maximumThreads: Some more than there are processors, so that short work need not wait for all of the long.
  init(maximumThreads: Int = 4) { self.maximumThreads = maximumThreads }

  /// Frees a value on another thread.
  func discard(_ value: some Sendable) {
    let parcel = Parcel(value)
    run({ parcel.clear() }, completion: { _ in })
  }

  /// Runs `body` on a thread of its own or behind other work, and hands its result to `completion` on that thread.
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
      // Without a thread the caller does the work itself: late is better than never.
      work()
    }
  }

  private func work() {
    while let job = queue.withLock({ $0.pop() }) { job() }
  }
}

import HTTP1
import Platform
import Primitives
import Services

/// The work that exchanges wait for: jobs for other threads, in two lanes, and questions for sources of responses.
struct PendingWork {
  /// A job that waits for a thread.
  struct WaitingJob {
    let job: Job
    let waiter: Waiter
    /// The instant at which it began to wait.
    let since: MonotonicInstant
  }

  /// An exchange that waits for a result.
  struct Waiter {
    let entry: ConnectionSet.Entry
    /// The ordinal of the exchange.
    let exchange: Int

    /// True if the exchange still waits.
    var isWaiting: Bool { entry.connection.working == exchange }
  }

  struct Lane {
    /// The jobs that wait, in the order in which they are to begin.
    var waiting: [WaitingJob] = []
    /// The number of jobs in progress.
    var runningCount = 0
  }

  /// Threads for short jobs, and for memory to free.
  let workers: Workers
  /// Threads for long jobs.
  let longWorkers = Workers()
  var short = Lane()
  var long = Lane()
  /// The jobs that wait for the same rendering besides the one that began it.
  var sharing: [RenderingKey: [WaitingJob]] = [:]
  /// The exchanges that wait for the answer to a question, by their ordinals.
  var questions: [Int: ConnectionSet.Entry] = [:]

  init(workers: Workers) { self.workers = workers }

  /// The number of jobs in progress.
  var runningCount: Int { short.runningCount + long.runningCount }

  /// True if jobs may wait for room.
  var isAnyWaiting: Bool { !short.waiting.isEmpty || !long.waiting.isEmpty }

  subscript(lane: Job.Lane) -> Lane {
    get {
      switch lane {
      case .short: short
      case .long: long
      }
    }
    set {
      switch lane {
      case .short: short = newValue
      case .long: long = newValue
      }
    }
  }
}

extension EventLoop {
  /// The maximum number of jobs of a lane in progress. Each long one may return a body of many megabytes.
  static let maximumConcurrentJobs = 2
  /// The duration after which a long job no longer waits for unsent bytes; `boundOutput()` then limits them.
  private static let maximumPostponement = Duration.seconds(10)
  /// The duration after which a peer that accepts nothing is reset while jobs wait for its bytes.
  private static let maximumStall = Duration.seconds(1)
  /// The divisor of the limit of unsent bytes above which further long jobs wait.
  static let workLimitDivisor = 4

  private var isOutputBelowWorkLimit: Bool {
    connections.unsentBytes <= connections.maximumUnsentBytes / Self.workLimitDivisor
  }

  /// True if a further job may begin. Most of the limit of unsent bytes is left to the results of the jobs in progress.
  private func hasRoom(in lane: Job.Lane, forJobThatWaitedFor duration: Duration = .zero) -> Bool {
    guard work[lane].runningCount < Self.maximumConcurrentJobs else { return false }
    return lane == .short || isOutputBelowWorkLimit || duration >= Self.maximumPostponement
  }

  /// Begins an exchange's work; a job may have to wait behind those of its lane.
  mutating func begin(_ pending: Connection.PendingWork, of entry: ConnectionSet.Entry) {
    switch pending.task {
    case .question(let question, let source):
      work.questions[question.id] = entry
      source.ask(question, by: services)
    case .job(let job):
      let waiter = PendingWork.Waiter(entry: entry, exchange: pending.exchange)
      if shares(job, waiter) { return }
      guard work[job.lane].waiting.isEmpty, hasRoom(in: job.lane) else {
        return work[job.lane].waiting.append(PendingWork.WaitingJob(job: job, waiter: waiter, since: now.tick))
      }
      start(job, for: waiter)
    }
  }

  /// Begins the jobs that wait, as far as there is room.
  mutating func beginWaitingJobs() {
    for lane in Job.Lane.allCases {
      var count = 0
      while count < work[lane].waiting.count {
        let next = work[lane].waiting[count]
        if next.waiter.isWaiting, !shares(next.job, next.waiter) {
          guard hasRoom(in: lane, forJobThatWaitedFor: now.tick - next.since) else { break }
          start(next.job, for: next.waiter)
        }
        count += 1
      }
      work[lane].waiting.removeFirst(count)
    }
  }

  /// Lets an exchange wait for an equal rendering that is in progress; returns false if there is none.
  private mutating func shares(_ job: Job, _ waiter: PendingWork.Waiter) -> Bool {
    guard !work.sharing.isEmpty, let key = job.rendering(), work.sharing[key] != nil else { return false }
    work.sharing[key, default: []].append(PendingWork.WaitingJob(job: job, waiter: waiter, since: now.tick))
    return true
  }

  /// Runs a job on another thread.
  private mutating func start(_ job: Job, for waiter: PendingWork.Waiter) {
    let (lane, rendering, body) = (job.lane, job.rendering(), job.prepare())
    if let rendering { work.sharing[rendering] = [] }
    work[lane].runningCount += 1
    let (token, exchange) = (waiter.entry.token, waiter.exchange)
    threads(of: lane).run({ Handover(body()) }) { [jobs] handover in
      jobs.post { loop in
        guard let result = handover.take() else { preconditionFailure("a result is taken once") }
        loop.work[lane].runningCount -= 1
        if let entry = loop.connections[token] { loop.finish(exchange, of: entry, with: result) }
        let others = rendering.flatMap { loop.work.sharing.removeValue(forKey: $0) } ?? []
        loop.finish(others, in: lane, with: result)
        // Most exchanges have ended by now. This is the last reference to a result that may have a million parts, so
        // another thread frees it.
        loop.work.workers.discard(result)
      }
    }
  }

  /// Gives a result to the jobs that share it, as far as there is room for further unsent bytes. The others wait again.
  private mutating func finish(_ sharing: [PendingWork.WaitingJob], in lane: Job.Lane, with result: any Sendable) {
    var rest = sharing[...]
    while let next = rest.first, lane == .short || isOutputBelowWorkLimit {
      rest.removeFirst()
      guard next.waiter.isWaiting else { continue }
      finish(next.waiter.exchange, of: next.waiter.entry, with: result)
      // Its bytes count for the next one.
      send(next.waiter.entry)
    }
    work[lane].waiting.insert(contentsOf: rest, at: 0)
  }

  private mutating func finish(_ exchange: Int, of entry: ConnectionSet.Entry, with result: any Sendable) {
    entry.connection.finish(exchange, with: result, at: now)
    markDirty(entry)
  }

  /// Continues the exchange that asked a question, also if its client has left.
  mutating func finish(_ question: Int, with answer: Response) {
    if let entry = work.questions.removeValue(forKey: question), entry.connection.working == question {
      return finish(question, of: entry, with: answer)
    }
    application.finishUnattended(question, with: answer, at: now)
  }

  private func threads(of lane: Job.Lane) -> Workers {
    switch lane {
    case .short: work.workers
    case .long: work.longWorkers
    }
  }

  /// Makes room for long jobs that wait: resets connections whose peers have accepted nothing for some time, the longest
  /// first.
  mutating func resetStalledPeers(at now: MonotonicInstant) {
    guard !work.long.waiting.isEmpty else { return }
    work.long.waiting.removeAll { !$0.waiter.isWaiting }
    guard !work.long.waiting.isEmpty, !isOutputBelowWorkLimit else { return }
    let stalled = connections.all.compactMap { entry in entry.blockedSince.map { (since: $0, entry: entry) } }
      .filter { now - $0.since >= Self.maximumStall }
    for (_, entry) in stalled.sorted(by: { $0.since < $1.since }) {
      guard !isOutputBelowWorkLimit else { return }
      entry.connection.reset(at: self.now)
      send(entry)
    }
  }
}

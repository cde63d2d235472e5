import HTTP1
import Platform
import Primitives
import Services

/// The work that exchanges wait for: jobs for other threads, and questions for sources of responses.
struct PendingWork {
  /// A job that waits for a thread.
  struct WaitingJob {
    let job: Job
    let waiter: Waiter
    /// True if it is for the control API.
    let isControl: Bool
    /// The instant at which it began to wait.
    let since: MonotonicInstant
  }

  /// An exchange that waits for a result.
  struct Waiter {
    let member: ConnectionSet.Member
    /// The ordinal of the exchange.
    let exchange: Int

    /// True if the exchange still waits.
    var isWaiting: Bool { member.connection.working == exchange }
  }

  /// The threads for jobs, and for memory to free.
  let workers: Workers
  /// The jobs that wait, in the order in which they are to begin.
  var waiting: [WaitingJob] = []
  /// The number of jobs in progress.
  var runningCount = 0
  /// The jobs that wait for the same rendering besides the one that began it.
  var sharing: [RenderingKey: [WaitingJob]] = [:]
  /// The exchanges that wait for the answer to a question, by their ordinals.
  var questions: [Int: ConnectionSet.Member] = [:]

  init(workers: Workers) { self.workers = workers }

  /// Returns true if jobs wait that begin before another one.
  func delays(_ job: WaitingJob) -> Bool { waiting.first.map { $0.isControl || !job.isControl } ?? false }

  /// Lets a job wait behind those that begin before it.
  mutating func wait(_ job: WaitingJob) { waiting.insert(job, at: job.isControl ? firstOfOthers : waiting.endIndex) }

  /// Lets a job wait again, before the others of its kind.
  mutating func waitFirst(_ job: WaitingJob) { waiting.insert(job, at: job.isControl ? 0 : firstOfOthers) }

  /// The index of the first job that is not for the control API.
  private var firstOfOthers: Int { waiting.firstIndex { !$0.isControl } ?? waiting.endIndex }
}

extension EventLoop {
  /// The maximum number of jobs in progress. Each may return a body of many megabytes.
  static let maximumConcurrentJobs = 2
  /// The duration after which a job no longer waits for unsent bytes; `boundOutput()` then limits them.
  private static let maximumPostponement = Duration.seconds(10)
  /// The duration after which a peer that accepts nothing is reset while jobs wait for its bytes.
  private static let maximumStall = Duration.seconds(1)
  /// The divisor of the limit of unsent bytes at which further jobs wait until their peers read more.
  static let workLimitDivisor = 4

  /// Returns true if the results of further jobs have room. Those for the control API come first: clients that read
  /// slowly must not keep it from the tests beside them.
  private func hasOutputRoom(forControl isControl: Bool) -> Bool {
    let divisor = isControl ? Self.workLimitDivisor / 2 : Self.workLimitDivisor
    return connections.unreadBytes <= connections.maximumUnsentBytes / divisor
  }

  /// True if a further job may begin. Most of the limit of unsent bytes is left to the results of the jobs in progress.
  private func hasRoom(forControl isControl: Bool, waitingFor duration: Duration = .zero) -> Bool {
    guard work.runningCount < Self.maximumConcurrentJobs else { return false }
    return hasOutputRoom(forControl: isControl) || duration >= Self.maximumPostponement
  }

  /// Begins an exchange's work; a job may have to wait behind others.
  mutating func begin(_ pending: Connection.TakenWork, of member: ConnectionSet.Member) {
    switch pending.task {
    case .question(let question, let respondent):
      work.questions[question.id] = member
      question.forwarding?.upload?.pipe.whenDrained = { [services, token = member.token] in
        services.acceptContent(of: token)
      }
      respondent.ask(question, by: services)
    case .job(let job):
      let waiter = PendingWork.Waiter(member: member, exchange: pending.exchange)
      let waiting = PendingWork.WaitingJob(
        job: job, waiter: waiter, isControl: pending.isOfDriver, since: now.tick)
      if shares(waiting) { return }
      guard !work.delays(waiting), hasRoom(forControl: pending.isOfDriver) else { return work.wait(waiting) }
      start(job, for: waiter)
    }
  }

  /// Begins the jobs that wait, as far as there is room.
  mutating func beginWaitingJobs() {
    var count = 0
    while count < work.waiting.count {
      let next = work.waiting[count]
      if next.waiter.isWaiting, !shares(next) {
        guard hasRoom(forControl: next.isControl, waitingFor: now.tick - next.since) else { break }
        start(next.job, for: next.waiter)
      }
      count += 1
    }
    work.waiting.removeFirst(count)
  }

  /// Lets an exchange wait for an equal rendering that is in progress; returns false if there is none.
  private mutating func shares(_ waiting: PendingWork.WaitingJob) -> Bool {
    guard !work.sharing.isEmpty, let key = waiting.job.rendering(), work.sharing[key] != nil else {
      return false
    }
    work.sharing[key, default: []].append(waiting)
    return true
  }

  /// Runs a job on another thread.
  private mutating func start(_ job: Job, for waiter: PendingWork.Waiter) {
    let (rendering, body) = (job.rendering(), job.prepare())
    if let rendering { work.sharing[rendering] = [] }
    work.runningCount += 1
    let (token, exchange) = (waiter.member.token, waiter.exchange)
    work.workers.run({ Handover(body()) }) { [jobs] handover in
      jobs.post { loop in
        guard let result = handover.take() else { preconditionFailure("a result is taken once") }
        loop.work.runningCount -= 1
        if let member = loop.connections[token] { loop.finish(exchange, of: member, with: result) }
        let others = rendering.flatMap { loop.work.sharing.removeValue(forKey: $0) } ?? []
        loop.finish(others, with: result)
        // Most exchanges have ended by now. This is the last reference to a result that may have a million parts, so
        // another thread frees it.
        loop.work.workers.discard(result)
      }
    }
  }

  /// Gives a result to the jobs that share it, as far as there is room for further unsent bytes. The others wait again.
  private mutating func finish(_ sharing: [PendingWork.WaitingJob], with result: any Sendable) {
    var rest = sharing[...]
    while let next = rest.first, hasOutputRoom(forControl: next.isControl) {
      rest.removeFirst()
      guard next.waiter.isWaiting else { continue }
      finish(next.waiter.exchange, of: next.waiter.member, with: result)
      // Its bytes count for the next one.
      send(next.waiter.member)
    }
    for job in rest.reversed() { work.waitFirst(job) }
  }

  private mutating func finish(_ exchange: Int, of member: ConnectionSet.Member, with result: any Sendable) {
    member.connection.finish(exchange, with: result, at: now)
    markDirty(member)
  }

  /// Continues the exchange that asked a question, also if its client has left.
  mutating func finish(_ question: Int, with answer: Response) {
    if let member = work.questions.removeValue(forKey: question), member.connection.working == question {
      // While the response waits, its content comes.
      if case .content(let content)? = answer.follower {
        content.pipe.whenAppended = { [services, token = member.token] in services.countContent(of: token) }
      }
      return finish(question, of: member, with: answer)
    }
    application.finishUnattended(question, with: answer, at: now)
  }

  /// Makes room for jobs that wait: resets connections whose peers have accepted nothing for some time, the longest
  /// first.
  mutating func resetStalledPeers(at now: MonotonicInstant) {
    guard !work.waiting.isEmpty else { return }
    work.waiting.removeAll { !$0.waiter.isWaiting }
    // Those for the control API come first, and have more room.
    let isControl = work.waiting.first?.isControl == true
    guard !work.waiting.isEmpty, !hasOutputRoom(forControl: isControl) else { return }
    let stalled = connections.all.compactMap { member in
      member.blockedSince.map { (since: $0, member: member) }
    }
    .filter { now - $0.since >= Self.maximumStall }
    for (_, member) in stalled.sorted(by: { $0.since < $1.since }) {
      guard !hasOutputRoom(forControl: isControl) else { return }
      member.connection.reset(at: self.now)
      send(member)
    }
  }
}

import Contract
import HTTP1
import Platform
import Primitives

/// The event loop on the thread that owns all state.
///
/// Its parts own their state: the connections, the changes that wait for the disk, the work of exchanges, the
/// connections that hold memory, and the time of a turn. `turn()` is the order in which they act.
struct EventLoop: ~Copyable {
  let application: Application
  let poller: any Poller
  let jobs: JobQueue<PostedCall>
  let listeners: Listeners
  let channels: Channels
  let services: LoopServices
  let timeouts: Timeouts
  var connections = ConnectionSet()
  var disk = DiskQueue()
  var work: PendingWork
  var awake = AwakeConnections()
  var time: LoopTime
  /// The events of the last poll; those before `handledCount` are handled.
  private var ready: [Readiness] = []
  private var handledCount = 0
  private var scratch = [UInt8](repeating: 0, count: 64 << 10)
  var hasEnded = false
  private var whenStopped: [@Sendable (Application) -> Void] = []
  /// The calls of tests to make after the turn's output; a call that returns true is not made again.
  private var turnObservers: [(borrowing EventLoop) -> Bool] = []

  /// A call that another thread posts to this one.
  typealias PostedCall = @Sendable (inout EventLoop) -> Void

  private static let jobQueueToken = UInt64.max

  /// Creates a loop, and offers its services to the application.
  ///
  /// - Parameter host: The host at whose addresses it listens; nil for both loopback addresses.
  init(
    poller: any Poller, jobs: JobQueue<PostedCall>, application: Application, host: String?,
    timeouts: Timeouts = Timeouts(),
    workers: Workers = Workers()
  ) {
    self.poller = poller
    self.jobs = jobs
    self.application = application
    self.timeouts = timeouts
    listeners = Listeners(poller)
    channels = Channels(poller)
    services = LoopServices(host: host, listeners: listeners, channels: channels, jobs: jobs, workers: workers)
    work = PendingWork(workers: workers)
    time = LoopTime(application.now)
    application.state.loop = services
    poller.add(jobs.descriptor, token: Self.jobQueueToken, .reading)
  }

  /// The time of the current event.
  var now: ClockReading { time.now }

  /// Runs turns until the loop is stopped and every exchange has ended. Returns the calls to make when the server has
  /// released everything that it holds.
  mutating func run() -> [@Sendable (Application) -> Void] {
    while turn() {}
    channels.closeAll()
    poller.remove(jobs.descriptor)
    hasEnded = true
    for job in jobs.close() { job(&self) }
    application.requestLog.finish()
    return whenStopped
  }

  /// Does one turn. Returns false, without waiting for events, if the loop is done.
  @discardableResult
  mutating func turn() -> Bool {
    resumeWaiting()
    if application.state.isUncommitted { commit() }
    application.endTurn()
    if !turnObservers.isEmpty { callTurnObservers() }
    guard !isDone else { return false }

    poll()

    // Exchanges that are due continue before more requests are read.
    if now.tick >= time.nextDue { resumeDue() }
    if !connections.deferred.isEmpty { advanceDeferred() }
    handleEvents()
    if !connections.unread.isEmpty { readOn() }
    if now.tick >= time.nextDue { expire() }
    return true
  }

  /// True if the loop was stopped and every exchange has ended.
  var isDone: Bool {
    time.drainEnds != nil && connections.count == 0 && !disk.isCommitting
      && !application.state.isUncommitted && application.unattended.isEmpty
  }

  /// Continues what waits neither for an instant nor for the poller.
  private mutating func resumeWaiting() {
    if channels.storedBytes != connections.channelBytes { countChannelBytes() }
    continueConnections()
    flush()
    if !connections.streams.isEmpty {
      // A stream begins when its head is flushed, and has its first event in the same turn.
      follow()
      flush()
    }
    if !work.waiting.isEmpty { beginWaitingJobs() }
    if !awake.resting.isEmpty { restConnections() }
  }

  /// Waits for events or for the next timer, and begins the time of the turn.
  private mutating func poll() {
    let end = application.tick
    if let began = application.budget.began {
      application.metrics.turns.record(NanosecondDuration(from: began, to: end))
    }
    if application.state.isScheduleNew {
      // A schedule may end connections before the next regular maintenance.
      application.state.isScheduleNew = false
      time.nextMaintenance = end
    }
    let wait = untilNextTimer(at: end)
    // Events for which the last turn had no time come first: their descriptors are not polled again before.
    if handledCount == ready.count {
      poller.wait(atMost: wait, into: &ready)
      handledCount = 0
    }
    time.now = application.now
    application.budget.beginTurn(at: now.tick)
  }

  /// Handles events until the turn has used its time or its bytes, and at least one.
  private mutating func handleEvents() {
    let first = handledCount
    while handledCount < ready.count {
      if handledCount > first {
        // The bytes of further connections may have arrived since the poll returned; a delay must not end early.
        readClock()
        guard !application.budget.isOver, application.budget.receivableBytes > 0 else { return }
      }
      handle(ready[handledCount])
      handledCount += 1
    }
  }

  /// Reads from the connections that have sent more than one read takes, at least from one, until the turn has used its
  /// time or its bytes. A connection that has still more is appended at the end.
  private mutating func readOn() {
    let waiting = connections.unread
    var count = 0
    while count < waiting.count, count == 0 || !application.budget.isOver && application.budget.receivableBytes > 0 {
      let member = waiting[count]
      count += 1
      member.hasUnread = false
      guard connections[member.token] != nil, member.connection.http.wantsToRead else { continue }
      readClock()
      read(member)
      // The poller reports further bytes again, even if there were none now.
      markDirty(member)
    }
    connections.unread.removeFirst(count)
  }

  /// Reads the clock again: the next event may have come after the last reading.
  mutating func readClock() {
    time.now = now.advanced(to: application.tick)
    application.budget.noteTime(now.tick)
  }

  /// Calls `observer` before this turn's wait and each later one, until it returns true.
  mutating func addTurnObserver(_ observer: @escaping (borrowing EventLoop) -> Bool) { turnObservers.append(observer) }

  private mutating func callTurnObservers() {
    let called = turnObservers
    turnObservers = called.filter { !$0(self) }
  }

  /// Resumes deferred connections in their order. A connection that is deferred again is appended at the end.
  private mutating func advanceDeferred() {
    let waiting = connections.deferred
    var count = 0
    while count < waiting.count, !application.budget.isSpent {
      let member = waiting[count]
      count += 1
      member.isDeferred = false
      member.connection.advanceDeferred(at: now)
      markDirty(member)
    }
    connections.deferred.removeFirst(count)
    readClock()
  }

  /// Returns the time for which the poll may wait, and updates `nextDue`.
  private mutating func untilNextTimer(at now: MonotonicInstant) -> NanosecondDuration {
    time.nextDue = now
    // Pipelined requests may have changed the state again.
    if application.state.isUncommitted, !disk.isCommitting { return .zero }
    if connections.hasImmediateWork { return .zero }
    if services.hasCommands || !awake.resting.isEmpty { return .zero }
    var next = time.nextMaintenance
    if let due = connections.timeouts.next { next = min(next, due) }
    if let due = connections.wakeUps.next { next = min(next, due) }
    if let due = channels.nextTimer { next = min(next, due) }
    if let end = time.drainEnds { next = min(next, end) }
    time.nextDue = next
    return max(.zero, NanosecondDuration(from: now, to: next))
  }

  private mutating func handle(_ readiness: Readiness) {
    if readiness.token == Self.jobQueueToken {
      for job in jobs.collect() { job(&self) }
    } else if let channel = channels[readiness.token] {
      channel.handle(readiness, at: now)
    } else if let bound = Listeners.index(of: readiness.token) {
      accept(at: bound)
    } else if let member = connections[readiness.token] {
      // An event of the turn before may be about bytes that the connection does not want any more.
      if readiness.canRead, member.interest.contains(.reading) { read(member) }
      if readiness.canWrite || readiness.isBroken { markDirty(member) }
      if readiness.isBroken, !readiness.canRead, !member.hasUnread { member.connection.disconnect(at: now) }
    }
  }

  private mutating func read(_ member: ConnectionSet.Member) {
    switch member.socket.receive(into: &scratch) {
    case .bytes(let count):
      application.budget.receivableBytes -= count
      if count == scratch.count, !member.hasUnread {
        member.hasUnread = true
        connections.unread.append(member)
      }
      if !member.isAwake { awaken(member) }
      member.connection.receive(scratch[..<count], at: now)
    case .finished: member.connection.finish(at: now)
    case .broken: member.connection.disconnect(at: now)
    case .nothingYet: return
    }
    markDirty(member)
  }

  mutating func markDirty(_ member: ConnectionSet.Member) {
    guard !member.isDirty else { return }
    member.isDirty = true
    connections.dirty.append(member)
  }

  private mutating func expire() {
    flush()
    resumeDue()
    var count = 0
    while count < Self.maximumContinued, let due = connections.timeouts.popDue(at: now.tick) {
      count += 1
      guard !due.isReplaced, let member = connections.occupant(of: due.slot) else { continue }
      if member.connection.http.timeout <= now.tick {
        member.connection.expire(at: now)
        markDirty(member)
      } else {
        schedule(member, wakeUp: member.connection.wakeUp, timeout: member.connection.http.timeout)
      }
    }
    if let due = channels.nextTimer, due <= now.tick { channels.expire(atMost: Self.maximumContinued, at: now) }
    if now.tick >= time.nextMaintenance { runMaintenance(at: now.tick) }
    if let end = time.drainEnds, now.tick >= end {
      for member in connections.all {
        member.connection.disconnect(at: now)
        markDirty(member)
      }
      application.giveUpUnattended(at: now)
    }
  }

  /// Accepts no more connections, sends the responses to all received requests, and then ends `run()`.
  mutating func stop(_ whenStopped: @escaping @Sendable (Application) -> Void) {
    self.whenStopped.append(whenStopped)
    guard time.drainEnds == nil else { return }
    time.drainEnds = now.tick + timeouts.drain
    acceptPending()
    listeners.closeAll()
    for member in connections.all {
      if member.connection.http.wantsToRead { read(member) }
      member.connection.drain(at: now)
      markDirty(member)
    }
  }
}

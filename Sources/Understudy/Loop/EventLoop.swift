import Contract
import HTTP1
import Platform
import Primitives

/// The event loop on the thread that owns all state: wait, read, answer, send.
///
/// Responses are collected while the ready connections are read, and sent together before the next wait.
struct EventLoop: ~Copyable {
  let poller: any Poller
  let jobs: JobQueue<PostedCall>
  let application: Application
  var connections = ConnectionTable()
  var dirty: [ConnectionTable.Entry] = []
  let listeners: Listeners
  let services: LoopServices
  /// The number of unsent bytes of all connections.
  var unsentBytes = 0
  /// The limit of unsent bytes. Above it, the connections whose peers accept nothing are reset first; above a
  /// quarter of it, long jobs wait.
  var maximumUnsentBytes = EventLoop.standardMaximumUnsentBytes
  /// The number of stored bytes of all requests whose contents are arriving.
  var arrivingBytes = 0
  /// The limit of these bytes. Above it, the longest contents are refused.
  var maximumArrivingBytes = EventLoop.standardMaximumArrivingBytes
  var work = PendingWork()
  /// The connections whose response is a stream.
  var streams: [ConnectionTable.Entry] = []
  /// The connections whose exchanges wait for the disk, and not only for the current commit.
  var awaitingDisk: [ConnectionTable.Entry] = []
  /// The connections that wait for the current commit.
  var awaitingCommit: [ConnectionTable.Entry] = []
  var isCommitting = false
  /// The calls to make when no change waits for the disk.
  var callsWhenCommitted: [() -> Void] = []
  /// The calls to make after the current commit.
  var callsAfterCommit: [() -> Void] = []
  /// The thread that waits for the disk, so that the loop does not have to.
  let flusher = Workers(maximumThreads: 1, isBackground: false)
  var hasEnded = false
  let timeouts: Timeouts
  var timers = Timers()
  /// The instants that plans require. They are precise to the microsecond; timeouts are in a separate heap, where they
  /// may stay for long. Some are obsolete.
  var wakeUps = Timers()
  /// The connections whose exchanges have ended after a delay; the records of the first `recordedCount` are complete.
  var unrecorded: [ConnectionTable.Entry] = []
  var recordedCount = 0
  /// The events of the last poll; those before `handledCount` are handled.
  private var ready: [Readiness] = []
  private var handledCount = 0
  private var scratch = [UInt8](repeating: 0, count: 64 << 10)
  var nextMaintenance: MonotonicInstant
  /// The instant before which no timer is due, as of the last poll.
  private var nextDue: MonotonicInstant
  private var drainEnds: MonotonicInstant?
  private var whenStopped: [@Sendable (Application) -> Void] = []
  /// The tokens of the connections that may hold memory that only a busy one needs, and of those that are to rest now.
  var awake: [UInt64] = []
  /// The index in `awake` of the connection that got its memory last; the next one has held its own longest.
  var lastAwakened = -1
  var resting: [UInt64] = []
  /// The storage of sent output, for the next responses: with many connections, that of each one would be new memory.
  var spareOutput: [[UInt8]] = []
  /// Connections whose next request waits for the next turn.
  var deferred: [ConnectionTable.Entry] = []
  var continuing: [Continuation] = []
  /// The index of the first stream of the next turn; nil if no stream had to wait.
  var nextStream: Int?
  /// The number of bytes that this turn may still pass to sockets.
  var sendableBytes = 0
  /// The number of bytes that this turn may still read from sockets.
  private(set) var receivableBytes = 0
  /// Threads for short jobs, and for memory to free.
  let workers: Workers
  /// Threads for long jobs.
  let longWorkers = Workers()
  let channels: Channels
  /// The time of the current event.
  private(set) var now: ClockReading
  /// The instant at which the last poll returned; nil before the first one.
  private var turnBegan: MonotonicInstant?
  /// The calls of tests to make after the turn's output; a call that returns true is not made again.
  private var turnObservers: [(borrowing EventLoop) -> Bool] = []

  /// A call that another thread posts to this one.
  typealias PostedCall = @Sendable (inout EventLoop) -> Void

  static let standardMaximumUnsentBytes = 256 << 20
  static let standardMaximumArrivingBytes = 256 << 20
  private static let jobQueueToken = UInt64.max
  static let maintenanceInterval = Duration.milliseconds(500)
  /// The maximum number of bytes that one turn sends, and of those that it reads: about 1 ms of copying.
  static let maximumBytes = 4 << 20
  /// The maximum amount of maintenance in one turn, in units of `runMaintenance`.
  static let maximumMaintenance = 256

  /// Creates a loop, and offers its services to the application.
  ///
  /// - Parameter host: The host at whose addresses it listens; nil for both loopback addresses.
  init(
    poller: any Poller, jobs: JobQueue<PostedCall>, application: Application, host: String?,
    timeouts: Timeouts = Timeouts(),
    workers: Workers = Workers()
  ) {
    self.workers = workers
    self.poller = poller
    listeners = Listeners(poller)
    channels = Channels(poller)
    services = LoopServices(host: host, listeners: listeners, channels: channels, jobs: jobs, workers: workers)
    self.jobs = jobs
    self.application = application
    self.timeouts = timeouts
    now = application.now
    nextMaintenance = now.tick + Self.maintenanceInterval
    nextDue = now.tick
    application.state.loop = services
    poller.add(jobs.descriptor, token: Self.jobQueueToken, .reading)
  }

  /// Runs turns until the loop is stopped and every exchange has ended. Returns the calls to make when the server has
  /// released everything that it holds.
  mutating func run() -> [@Sendable (Application) -> Void] {
    while turn() {}
    poller.remove(jobs.descriptor)
    hasEnded = true
    for job in jobs.close() { job(&self) }
    application.requestLog.finish()
    return whenStopped
  }

  var isDone: Bool {
    drainEnds != nil && connections.count == 0 && unrecorded.isEmpty && !isCommitting
      && !application.state.isUncommitted && application.unattended.isEmpty
  }

  /// Does the pending work, waits once, and handles the events. Returns false, without the wait, if the loop is done.
  @discardableResult
  mutating func turn() -> Bool {
    if unrecorded.isEmpty { continueWaiting() } else { flush() }
    if application.state.isUncommitted { commit() }
    if unrecorded.isEmpty { application.endTurn() }
    if !turnObservers.isEmpty { callTurnObservers() }
    guard drainEnds == nil || !isDone else { return false }
    let end = application.tick
    if let turnBegan { application.metrics.turns.record(NanosecondDuration(from: turnBegan, to: end)) }
    if application.state.isScheduleNew, application.state.sandboxes.isRoundBeginning {
      // A schedule may end connections before the next regular maintenance.
      application.state.isScheduleNew = false
      nextMaintenance = end
    }
    let wait = untilNextTimer(at: end)
    // Events for which the last turn had no time come first: their descriptors are not polled again before.
    if handledCount == ready.count {
      poller.wait(atMost: wait, into: &ready)
      handledCount = 0
    }
    now = application.now
    turnBegan = now.tick
    application.budget.beginTurn(until: now.tick + TurnBudget.maximumTime)
    (sendableBytes, receivableBytes) = (Self.maximumBytes, Self.maximumBytes)
    // Exchanges that are due continue before more requests are read.
    if now.tick >= nextDue { resumeDue() }
    guard unrecorded.isEmpty || completeRecords(atOnce: !ready.isEmpty || isMaintenanceLate) else {
      // The poller is level-triggered, so it reports again the events that are left.
      handledCount = ready.count
      return true
    }
    if !deferred.isEmpty {
      advanceDeferred()
      readClock()
    }
    handleEvents()
    if now.tick >= nextDue { expire() }
    if ready.isEmpty, isIdle(at: now.tick, until: nextDue) { application.state.judgeBatch() }
    return true
  }

  /// Continues what waits neither for an instant nor for the poller.
  private mutating func continueWaiting() {
    continueConnections()
    flush()
    if !streams.isEmpty {
      // A stream begins when its head is flushed, and has its first event in the same turn.
      follow()
      flush()
    }
    if work.isAnyWaiting { beginWaitingJobs() }
    if !resting.isEmpty { restConnections() }
  }

  /// Handles events until the turn has used its time or its bytes, and at least one.
  private mutating func handleEvents() {
    let first = handledCount
    while handledCount < ready.count {
      if handledCount > first {
        // The bytes of further connections may have arrived since the poll returned; a delay must not end early.
        readClock()
        guard !application.budget.isOver, receivableBytes > 0 else { return }
      }
      handle(ready[handledCount])
      handledCount += 1
    }
  }

  /// Reads the clock again: the next event may have come after the last reading.
  mutating func readClock() {
    now = now.advanced(to: application.tick)
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
    let waiting = deferred
    var count = 0
    while count < waiting.count, !application.budget.isSpent {
      let entry = waiting[count]
      count += 1
      entry.isDeferred = false
      entry.connection.advanceDeferred(at: now)
      markDirty(entry)
    }
    deferred.removeFirst(count)
  }

  /// Returns the time for which the poll may wait, and updates `nextDue`.
  private mutating func untilNextTimer(at now: MonotonicInstant) -> NanosecondDuration {
    nextDue = now
    // Pipelined requests may have changed the state again.
    if application.state.isUncommitted, !isCommitting { return .zero }
    if nextStream != nil || !deferred.isEmpty || !unrecorded.isEmpty || application.state.hasUnfinishedWork {
      return .zero
    }
    if !continuing.isEmpty || services.hasRequests || !resting.isEmpty { return .zero }
    var next = nextMaintenance
    if let due = timers.next { next = min(next, due) }
    if let due = wakeUps.next { next = min(next, due) }
    if let due = channels.nextTimer { next = min(next, due) }
    if let drainEnds { next = min(next, drainEnds) }
    nextDue = next
    return isIdle(at: now, until: next) ? .zero : max(.zero, NanosecondDuration(from: now, to: next))
  }

  private mutating func handle(_ readiness: Readiness) {
    if readiness.token == Self.jobQueueToken {
      for job in jobs.collect() { job(&self) }
    } else if let channel = channels[readiness.token] {
      channel.handle(readiness, at: now)
    } else if let bound = Listeners.index(of: readiness.token) {
      accept(at: bound)
    } else if let entry = connections[readiness.token] {
      // An event of the turn before may be about bytes that the connection does not want any more.
      if readiness.canRead, entry.interest.contains(.reading) { read(entry) }
      if readiness.canWrite || readiness.isBroken { markDirty(entry) }
      if readiness.isBroken, !readiness.canRead { entry.connection.disconnect(at: now) }
    }
  }

  private mutating func read(_ entry: ConnectionTable.Entry) {
    switch entry.socket.receive(into: &scratch) {
    case .bytes(let count):
      receivableBytes -= count
      if !entry.isAwake { awaken(entry) }
      entry.connection.receive(scratch[..<count], at: now)
    case .finished: entry.connection.finish(at: now)
    case .broken: entry.connection.disconnect(at: now)
    case .nothingYet: return
    }
    markDirty(entry)
  }

  mutating func markDirty(_ entry: ConnectionTable.Entry) {
    guard !entry.isDirty else { return }
    entry.isDirty = true
    dirty.append(entry)
  }

  private mutating func expire() {
    flush()
    resumeDue()
    guard unrecorded.isEmpty || completeRecords(atOnce: true) else { return }
    var count = 0
    while count < Self.maximumContinued, let due = timers.popDue(at: now.tick) {
      count += 1
      guard connections.didFire(due), let entry = connections.occupant(ofSlotOf: due.token) else { continue }
      if entry.connection.http.timeout <= now.tick {
        entry.connection.expire(at: now)
        markDirty(entry)
      } else {
        schedule(entry, wakeUp: entry.connection.wakeUp, timeout: entry.connection.http.timeout)
      }
    }
    if let due = channels.nextTimer, due <= now.tick { channels.expire(atMost: Self.maximumContinued, at: now) }
    if now.tick >= nextMaintenance { runMaintenance(at: now.tick) }
    if let end = drainEnds, now.tick >= end {
      for entry in connections.all {
        entry.connection.disconnect(at: now)
        markDirty(entry)
      }
      application.giveUpUnattended(at: now)
    }
  }

  /// Accepts no more connections, sends the responses to all received requests, and then ends `run()`.
  mutating func stop(_ whenStopped: @escaping @Sendable (Application) -> Void) {
    self.whenStopped.append(whenStopped)
    guard drainEnds == nil else { return }
    drainEnds = now.tick + timeouts.drain
    acceptPending()
    listeners.closeAll()
    for entry in connections.all {
      if entry.connection.http.wantsToRead { read(entry) }
      entry.connection.drain(at: now)
      markDirty(entry)
    }
  }
}

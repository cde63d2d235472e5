import Contract

/// The one loop on the one thread that owns all state: wait, read, answer, send.
///
/// Replies are collected while the ready connections are read, and sent together before the next wait.
final class EventLoop {
  let poller: any Poller
  let mailbox: Mailbox<Letter>
  let backend: Backend
  var connections = ConnectionTable()
  var dirty: [ConnectionTable.Entry] = []
  var doors = Doors()
  /// The number of bytes that all connections hold for their peers.
  var heldOutput = 0
  /// More than this is not held: the peers that take nothing lose their connections first.
  var maximumHeldOutput = EventLoop.standardMaximumHeldOutput
  /// The connections whose replies go on.
  var streams: [ConnectionTable.Entry] = []
  /// The connections whose exchanges wait for the disk, and for no commit that is under way alone.
  var held: [ConnectionTable.Entry] = []
  /// Those that wait for the commit that is under way.
  var heldByCommit: [ConnectionTable.Entry] = []
  var isCommitting = false
  /// The calls to make when no change waits for the disk any more.
  var callsWhenKept: [() -> Void] = []
  /// Those of them that wait for the commit that is under way.
  var callsByCommit: [() -> Void] = []
  /// The thread that waits for the disk, so that the loop need not.
  let flusher = Workers(maximumThreads: 1)
  var hasEnded = false
  let timeouts: Timeouts
  private var timers = Timers()
  /// The moments that plans ask for: they are met to the microsecond, while time-outs may lie in the heap for long.
  private var wakeUps = Timers()
  private var ready: [Readiness] = []
  private var scratch = [UInt8](repeating: 0, count: 64 << 10)
  private var housekeeping: Tick
  private var drainEnds: Tick?
  private var whenStopped: [@Sendable () -> Void] = []
  /// Connections whose next requests wait for the next turn.
  var deferred: [ConnectionTable.Entry] = []
  /// The stream to begin with in the next turn; nil when none had to wait.
  var nextStream: Int?
  /// The number of bytes that this turn may still give to sockets.
  var sendableBytes = 0
  /// Threads for work that would hold up the turn.
  let workers: Workers
  /// When the poll returned last.
  private var turnBegan: Tick?

  /// What another thread wants done on this one.
  typealias Letter = @Sendable (EventLoop) -> Void

  static let standardMaximumHeldOutput = 256 << 20
  private static let mailboxToken = UInt64.max
  private static let housekeepingInterval = Duration.milliseconds(500)
  private static let mostVainWakeUps = 1_024
  /// The bytes that one turn sends at most: about 1 ms of copying.
  static let maximumBytes = 4 << 20
  /// The sandboxes that one turn looks after at most.
  static let maximumSandboxes = 256

  init(
    poller: any Poller, mailbox: Mailbox<Letter>, backend: Backend, timeouts: Timeouts = Timeouts(),
    workers: Workers = Workers()
  ) {
    self.workers = workers
    self.poller = poller
    self.mailbox = mailbox
    self.backend = backend
    self.timeouts = timeouts
    housekeeping = backend.tick + Self.housekeepingInterval
    poller.add(mailbox.descriptor, token: Self.mailboxToken, .reading)
  }

  /// Turns until it was told to stop and everything under way has ended.
  func run() {
    while !isDone { turn() }
    poller.remove(mailbox.descriptor)
    hasEnded = true
    for letter in mailbox.close() { letter(self) }
    for call in whenStopped { call() }
  }

  var isDone: Bool {
    drainEnds != nil && connections.count == 0 && !isCommitting && !backend.isUncommitted
  }

  /// Does what there is to do, waits once, and handles what that brought.
  func turn() {
    follow()
    flush()
    if backend.isUncommitted { commit() }
    backend.endTurn()
    guard !isDone else { return }
    let end = backend.tick
    if let turnBegan { backend.metrics.countTurn(end - turnBegan) }
    if backend.isScheduleNew, backend.sandboxes.isRoundBeginning {
      // A schedule may have connections die sooner than the next regular round.
      backend.isScheduleNew = false
      housekeeping = end
    }
    poller.wait(atMost: untilNextTimer(), into: &ready)
    turnBegan = backend.tick
    backend.budget.beginTurn()
    sendableBytes = Self.maximumBytes
    advanceDeferred()
    for readiness in ready { handle(readiness) }
    expire(at: backend.tick)
  }

  /// Goes on with the connections whose requests had to wait, the first of them first. One that has to wait again does
  /// so behind the others.
  private func advanceDeferred() {
    guard !deferred.isEmpty else { return }
    let waiting = deferred
    var count = 0
    while count < waiting.count, !backend.budget.isSpent {
      let entry = waiting[count]
      count += 1
      entry.isDeferred = false
      entry.connection.advanceDeferred()
      markDirty(entry)
    }
    deferred.removeFirst(count)
  }

  /// How many moments are waited for, vain ones included.
  var pendingWakeUps: Int { wakeUps.count }

  private func untilNextTimer() -> Duration {
    // Requests that were answered one behind the other may have changed something again.
    if backend.isUncommitted, !isCommitting { return .zero }
    if nextStream != nil || !deferred.isEmpty || backend.isEvicting { return .zero }
    var next = housekeeping
    if let due = timers.next { next = min(next, due) }
    if let due = wakeUps.next { next = min(next, due) }
    if let drainEnds { next = min(next, drainEnds) }
    return max(.zero, next - backend.tick)
  }

  private func handle(_ readiness: Readiness) {
    if readiness.token == Self.mailboxToken {
      for letter in mailbox.collect() { letter(self) }
    } else if let door = Doors.place(of: readiness.token) {
      accept(at: door)
    } else if let entry = connections[readiness.token] {
      if readiness.canRead { read(entry) }
      if readiness.canWrite || readiness.isBroken { markDirty(entry) }
      if readiness.isBroken, !readiness.canRead { entry.connection.disconnect() }
    }
  }

  private func read(_ entry: ConnectionTable.Entry) {
    switch entry.socket.receive(into: &scratch) {
    case .bytes(let count): entry.connection.receive(scratch[..<count])
    case .finished: entry.connection.finish()
    case .broken: entry.connection.disconnect()
    case .nothingYet: return
    }
    markDirty(entry)
  }

  func markDirty(_ entry: ConnectionTable.Entry) {
    guard !entry.isDirty else { return }
    entry.isDirty = true
    dirty.append(entry)
  }

  /// Sees to it that the connection is looked at when its time has run out.
  func schedule(_ entry: ConnectionTable.Entry) {
    if let wakeUp = entry.connection.wakeUp, wakeUp != entry.wakeUp {
      entry.wakeUp = wakeUp
      wakeUps.add(wakeUp, token: entry.token)
    }
    let timeout = entry.connection.timeout
    guard timeout != .distantFuture else { return }
    if connections.wake(entry.token, at: timeout) { timers.add(timeout, token: entry.token) }
  }

  private func resume(at now: Tick) {
    while let due = wakeUps.popDue(at: now) {
      guard let entry = connections[due.token], entry.wakeUp == due.deadline else { continue }
      entry.wakeUp = nil
      guard let wakeUp = entry.connection.wakeUp, wakeUp <= now else { continue }
      entry.connection.resume()
      markDirty(entry)
    }
  }

  private func expire(at now: Tick) {
    resume(at: now)
    while let due = timers.popDue(at: now) {
      guard connections.woke(due), let entry = connections.occupant(ofSlotOf: due.token) else { continue }
      if entry.connection.timeout <= now {
        entry.connection.expire()
        markDirty(entry)
      } else {
        schedule(entry)
      }
    }
    if now >= housekeeping { keepHouse(at: now) }
    if let end = drainEnds, now >= end {
      for entry in connections.all {
        entry.connection.disconnect()
        markDirty(entry)
      }
    }
  }

  private func keepHouse(at now: Tick) {
    // However many sandboxes there are, a turn looks after some of them, and the next turn after the next.
    guard backend.keepHouse(at: now, atMost: Self.maximumSandboxes) else {
      housekeeping = now
      return
    }
    reopenDoors()
    // Where a schedule has connections die sooner than the next regular round, they die in time.
    let outage = backend.untilOutage ?? Self.housekeepingInterval
    housekeeping = now + min(outage, Self.housekeepingInterval)
    for entry in connections.all { entry.connection.rest() }
    // Connections that went while their plan slept left their moments behind.
    if wakeUps.count > 2 * connections.count + Self.mostVainWakeUps {
      wakeUps = Timers()
      for entry in connections.all {
        if let wakeUp = entry.wakeUp { wakeUps.add(wakeUp, token: entry.token) }
      }
    }
  }

  /// Takes no more connections, lets the replies to all that has arrived go out, and then ends `run()`.
  func stop(_ whenStopped: @escaping @Sendable () -> Void) {
    self.whenStopped.append(whenStopped)
    guard drainEnds == nil else { return }
    drainEnds = backend.tick + timeouts.drain
    takeWhoWaits()
    closeDoors()
    for entry in connections.all {
      if entry.connection.wantsToRead { read(entry) }
      entry.connection.drain()
      markDirty(entry)
    }
  }
}

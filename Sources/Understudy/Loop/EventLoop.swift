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
  /// The connections whose replies go on.
  var streams: [ConnectionTable.Entry] = []
  /// The connections whose exchanges wait for the disk.
  var held: [ConnectionTable.Entry] = []
  let timeouts: Timeouts
  private var timers = Timers()
  /// The moments that plans ask for: they are met to the microsecond, while time-outs may lie in the heap for long.
  private var wakeUps = Timers()
  private var ready: [Readiness] = []
  private var scratch = [UInt8](repeating: 0, count: 64 << 10)
  private var housekeeping: Tick
  private var drainEnds: Tick?
  private var whenStopped: [@Sendable () -> Void] = []

  /// What another thread wants done on this one.
  typealias Letter = @Sendable (EventLoop) -> Void

  private static let mailboxToken = UInt64.max
  private static let housekeepingInterval = Duration.milliseconds(500)
  private static let mostVainWakeUps = 1_024

  init(
    poller: any Poller, mailbox: Mailbox<Letter>, backend: Backend, timeouts: Timeouts = Timeouts()
  ) {
    self.poller = poller
    self.mailbox = mailbox
    self.backend = backend
    self.timeouts = timeouts
    housekeeping = SystemClock.tick() + Self.housekeepingInterval
    poller.add(mailbox.descriptor, token: Self.mailboxToken, .reading)
  }

  /// Turns until it was told to stop and everything under way has ended.
  func run() {
    while !isDone { turn() }
    poller.remove(mailbox.descriptor)
    for letter in mailbox.close() { letter(self) }
    for call in whenStopped { call() }
  }

  private var isDone: Bool { drainEnds != nil && connections.count == 0 }

  private func turn() {
    follow()
    flush()
    if backend.isUncommitted { commit() }
    backend.endTurn()
    guard !isDone else { return }
    poller.wait(atMost: untilNextTimer(), into: &ready)
    for readiness in ready { handle(readiness) }
    expire(at: SystemClock.tick())
  }

  /// Lets those who read a journal as it is written have what this turn wrote.
  private func follow() {
    guard !streams.isEmpty else { return }
    for entry in streams {
      entry.connection.follow()
      if entry.connection.output.pending > 0 || !entry.connection.isStreaming { markDirty(entry) }
    }
    streams.removeAll { !$0.connection.isStreaming }
  }

  /// Brings what this turn changed to the disk, once for all, and then lets those go on who waited for it.
  ///
  /// Whatever this turn has read is looked at before, also where a letter asks in its midst: else nobody would let those go on.
  func commit() {
    flush()
    let isKept = backend.commit()
    let waiting = held
    held.removeAll(keepingCapacity: true)
    for entry in waiting {
      entry.isHeld = false
      entry.connection.settle(isKept: isKept)
      markDirty(entry)
    }
    flush()
  }

  /// How many moments are waited for, vain ones included.
  var pendingWakeUps: Int { wakeUps.count }

  private func untilNextTimer() -> Duration {
    // Requests that were answered one behind the other may have changed something again.
    if backend.isUncommitted { return .zero }
    var next = housekeeping
    if let due = timers.next { next = min(next, due) }
    if let due = wakeUps.next { next = min(next, due) }
    if let drainEnds { next = min(next, drainEnds) }
    return max(.zero, next - SystemClock.tick())
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
    reopenDoors()
    backend.keepHouse(at: now)
    // Where a schedule has connections die sooner than the next regular round, they die in time.
    let outage = backend.untilOutage() ?? Self.housekeepingInterval
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
    drainEnds = SystemClock.tick() + timeouts.drain
    takeWhoWaits()
    closeDoors()
    for entry in connections.all {
      if entry.connection.wantsToRead { read(entry) }
      entry.connection.drain()
      markDirty(entry)
    }
  }
}

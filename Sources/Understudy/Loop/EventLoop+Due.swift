import HTTP1
import Primitives

/// The exchanges whose time has come.
extension EventLoop {
  /// The number of due responses that are sent together.
  private static let maximumResumed = 16

  /// Schedules timers for the instants at which a connection is to be resumed and to expire.
  mutating func schedule(_ member: ConnectionSet.Member, wakeUp: MonotonicInstant?, timeout: MonotonicInstant) {
    if let wakeUp, wakeUp != member.wakeUp {
      member.wakeUp = wakeUp
      connections.wakeUps.add(wakeUp, token: member.token)
    }
    guard timeout != .distantFuture else { return }
    connections.timeouts.schedule(ConnectionSet.slot(member.token), at: timeout)
  }

  /// Continues exchanges whose delay has ended, at least one, until the turn has used its time.
  mutating func resumeDue() {
    var count = 0
    while count < Self.maximumContinued, count == 0 || !application.budget.isOver,
      let due = connections.wakeUps.popDue(at: now.tick)
    {
      guard let member = connections[due.token], member.wakeUp == due.deadline else { continue }
      member.wakeUp = nil
      guard let wakeUp = member.connection.wakeUp, wakeUp <= now.tick else { continue }
      count += 1
      member.connection.resume(at: now)
      markDirty(member)
      // As measured at the client, some responses sent together arrive earlier than the same ones sent one by one.
      if connections.dirty.count >= Self.maximumResumed { flush() }
      readClock()
    }
    flush()
  }
}

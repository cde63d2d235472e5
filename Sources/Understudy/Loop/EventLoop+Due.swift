import HTTP1
import Primitives

/// The exchanges whose time has come: they are continued, and if others are due, too, their responses are sent first,
/// and their records follow when no other one is due. Until then the loop reads no bytes, runs no job and begins no
/// request, so nothing reads the records.
extension EventLoop {
  /// The number of due responses that are sent together.
  private static let maximumResumed = 16
  /// The number of records that are completed in a turn.
  private static let maximumRecorded = 128

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
      let isAlone = connections.unrecorded.isEmpty && (connections.wakeUps.next ?? .distantFuture) > now.tick
      member.connection.resume(at: now, defersRecord: !isAlone)
      if member.connection.awaitsRecord { connections.unrecorded.append(member) }
      markDirty(member)
      // As measured at the client, some responses sent together arrive earlier than the same ones sent one by one.
      if connections.dirty.count >= Self.maximumResumed { flush() }
      readClock()
    }
    flush()
  }

  /// Completes the records of exchanges that have ended, the first ones first. Returns false if some are left for the
  /// next turn, because there are too many, or because a response is due.
  ///
  /// - Parameter isUrgent: True to complete them even while a response is due, because events or maintenance wait.
  mutating func completeRecords(atOnce isUrgent: Bool) -> Bool {
    let end = min(connections.unrecorded.count, connections.recordedCount + Self.maximumRecorded)
    while connections.recordedCount < end, isUrgent || (connections.wakeUps.next ?? .distantFuture) > application.tick {
      let member = connections.unrecorded[connections.recordedCount]
      connections.recordedCount += 1
      member.connection.completeRecord(at: now)
      if member.connection.http.mayHaveMore(), !member.isDeferred {
        member.isDeferred = true
        connections.deferred.append(member)
      }
    }
    guard connections.recordedCount == connections.unrecorded.count else { return false }
    connections.recordedCount = 0
    // A crowd is rare, and one member is cheaper to take out than a range.
    while connections.unrecorded.popLast() != nil {}
    readClock()
    return true
  }
}

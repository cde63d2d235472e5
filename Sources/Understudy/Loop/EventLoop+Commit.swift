import HTTP1

/// The commits of changes to the disk, and the exchanges and calls that wait for them.
struct DiskQueue {
  /// The connections whose exchanges wait for the disk, and not only for the current commit.
  var waiting: [ConnectionSet.Member] = []
  /// The connections that wait for the current commit.
  var committing: [ConnectionSet.Member] = []
  var isCommitting = false
  /// The calls to make when no change waits for the disk.
  var callsWhenCommitted: [() -> Void] = []
  /// The calls to make after the current commit.
  var callsAfterCommit: [() -> Void] = []
  /// The thread that waits for the disk, so that the loop does not have to.
  let flusher = Workers(maximumThreads: 1, isBackground: false)
}

extension EventLoop {
  /// Writes all changes to the disk on another thread. If a commit is in progress, the next one includes them.
  ///
  /// Flushes first, so that exchanges of this turn wait for the commit even when a job commits mid-turn.
  mutating func commit() {
    flush()
    guard !disk.isCommitting, let commit = application.state.beginCommit() else { return }
    disk.isCommitting = true
    disk.committing = disk.waiting
    disk.waiting.removeAll(keepingCapacity: true)
    (disk.callsAfterCommit, disk.callsWhenCommitted) = (disk.callsWhenCommitted, [])
    disk.flusher.run({ commit.run() }) { [jobs] outcome in
      jobs.post { loop in loop.endCommit(outcome) }
    }
  }

  /// Lets the exchanges continue about which a commit has decided. If there is nothing left to commit, these are all that
  /// wait for the disk, unless their images are in doubt.
  private mutating func endCommit(_ outcomes: [Commit.StepResult]) {
    flush()
    disk.isCommitting = false
    let refused = application.state.endCommit(outcomes)
    let isEverythingDecided = !application.state.isUncommitted
    var calls = disk.callsAfterCommit
    disk.callsAfterCommit = []
    if isEverythingDecided {
      calls += disk.callsWhenCommitted
      disk.callsWhenCommitted = []
    }
    let (ended, later) = (disk.committing, disk.waiting)
    (disk.committing, disk.waiting) = ([], [])
    for call in calls { call() }
    for member in ended { resume(member, member.connection.verdict(afterRefusing: refused)) }
    for member in later {
      let verdict = member.connection.verdict(afterRefusing: refused)
      resume(member, verdict == true && !isEverythingDecided ? nil : verdict)
    }
  }

  /// Lets an exchange continue that waited for the disk.
  ///
  /// - Parameter isDurable: False if its changes were taken back; nil if it waits for a further round.
  private mutating func resume(_ member: ConnectionSet.Member, _ isDurable: Bool?) {
    switch isDurable {
    case true?: connections.continuing.append(Continuation(member: member, reason: .committed))
    case nil: disk.waiting.append(member)
    case false?:
      member.awaitsCommit = false
      member.connection.resolve(isDurable: false, at: now)
      markDirty(member)
    }
  }

  /// Calls `body` when all changes so far are on the disk or were rolled back.
  mutating func whenCommitted(_ body: @escaping () -> Void) {
    if hasEnded { _ = application.state.commit() }
    guard disk.isCommitting || application.state.isUncommitted else { return body() }
    disk.callsWhenCommitted.append(body)
    commit()
  }
}

extension EventLoop {
  /// Writes all changes to the disk on another thread. If a commit is in progress, the next one includes them.
  ///
  /// Flushes first, so that exchanges of this turn wait for the commit even when a job commits mid-turn.
  func commit() {
    flush()
    guard !isCommitting, let commit = backend.beginCommit() else { return }
    isCommitting = true
    heldByCommit = held
    held.removeAll(keepingCapacity: true)
    (callsByCommit, callsWhenKept) = (callsWhenKept, [])
    flusher.run({ commit.run() }) { [jobs] outcome in
      jobs.post { loop in loop.endCommit(outcome) }
    }
  }

  /// Resumes the exchanges that waited for a commit. If the disk failed, or there is nothing left to commit, resumes
  /// all that wait for the disk.
  private func endCommit(_ outcome: Commit.Outcome) {
    flush()
    isCommitting = false
    let isKept = backend.endCommit(outcome)
    var waiting = heldByCommit
    heldByCommit = []
    var calls = callsByCommit
    callsByCommit = []
    if !backend.isUncommitted {
      waiting += held
      held = []
      calls += callsWhenKept
      callsWhenKept = []
    }
    for call in calls { call() }
    for entry in waiting {
      entry.isPaused = false
      entry.connection.settle(isKept: isKept)
      markDirty(entry)
    }
  }

  /// Calls `body` when all changes so far are on the disk or were rolled back.
  func whenKept(_ body: @escaping () -> Void) {
    if hasEnded { _ = backend.commit() }
    guard isCommitting || backend.isUncommitted else { return body() }
    callsWhenKept.append(body)
    commit()
  }
}

import HTTP1

extension EventLoop {
  /// Sends new entries to the readers of journals, up to the limit of a turn; the next turn continues there.
  mutating func follow() {
    // A silence begins now, however long the last event took.
    readClock()
    var budget = JournalFollower.Budget()
    let first = connections.nextStream.map { $0 % connections.streams.count } ?? 0
    connections.nextStream = nil
    for position in 0..<connections.streams.count {
      let index = (first + position) % connections.streams.count
      let member = connections.streams[index]
      let count = member.connection.http.output.count
      member.connection.follow(within: &budget, at: now)
      // Content may have come for it, also if its reader takes none.
      connections.countUnsent(of: member)
      // If a reader has unsent output, the poller reports when there is room: a thousand such readers cost no system
      // calls.
      if member.connection.http.output.count != count || !member.connection.isStreaming { markDirty(member) }
      if budget.isSpent {
        // One that has ended is removed, so that the next one has its index.
        connections.nextStream = index
        break
      }
    }
    connections.streams.removeAll { member in
      member.isStreaming = member.connection.isStreaming
      return !member.isStreaming
    }
    if connections.nextStream == nil, budget.leavesContent { connections.nextStream = 0 }
    if connections.streams.isEmpty { connections.nextStream = nil }
  }
}

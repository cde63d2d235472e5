extension EventLoop {
  /// Gives the readers of journals what was written since, as much as fits a turn; each turn goes on where the last ended.
  func follow() {
    guard !streams.isEmpty else { return }
    var budget = JournalFollower.Budget()
    let first = nextStream.map { $0 % streams.count } ?? 0
    nextStream = nil
    for place in 0..<streams.count {
      let index = (first + place) % streams.count
      let entry = streams[index]
      let held = entry.connection.output.count
      entry.connection.follow(within: &budget)
      // What a reader has not taken yet goes out when the poller tells of room: a thousand such readers cost no calls.
      if entry.connection.output.count != held || !entry.connection.isStreaming { markDirty(entry) }
      if budget.isSpent {
        nextStream = entry.connection.isStreaming ? index : index + 1
        break
      }
    }
    streams.removeAll { entry in
      entry.isStreaming = entry.connection.isStreaming
      return !entry.isStreaming
    }
  }
}

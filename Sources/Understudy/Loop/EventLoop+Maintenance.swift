import Primitives

extension EventLoop {
  private static let maximumObsoleteWakeUps = 1_024
  /// The number of connections that rest in one turn.
  private static let maximumResting = 64
  /// A batch of exchanges is judged in less time.
  private static let judgingTime = NanosecondDuration(nanoseconds: 250_000)

  mutating func runMaintenance(at now: MonotonicInstant) {
    resetStalledPeers(at: now)
    // Each turn maintains some of the sandboxes, and the next turn continues with the others.
    guard backend.state.runMaintenance(at: now, atMost: Self.maximumMaintenance) else {
      nextMaintenance = now
      return
    }
    listeners.resume()
    // A schedule may end connections before the next regular maintenance; they must end in time.
    let outage = backend.state.untilOutage ?? Self.maintenanceInterval
    nextMaintenance = now + min(outage, Self.maintenanceInterval)
    if resting.isEmpty { swap(&resting, &awake) }
    // Connections that ended during a plan's delay left obsolete wake-ups.
    if wakeUps.count > 2 * connections.count + Self.maximumObsoleteWakeUps {
      wakeUps = Timers()
      for entry in connections.all {
        if let wakeUp = entry.wakeUp { wakeUps.add(wakeUp, token: entry.token) }
      }
    }
  }

  /// Records that a connection may hold memory that only a busy one needs.
  mutating func markAwake(_ entry: ConnectionTable.Entry) {
    guard !entry.isAwake else { return }
    entry.isAwake = true
    awake.append(entry.token)
  }

  /// Releases the memory of some connections that are idle; the others are visited again.
  mutating func restConnections() {
    var count = 0
    while count < Self.maximumResting, let token = resting.popLast() {
      guard let entry = connections[token] else { continue }
      count += 1
      entry.isAwake = false
      if entry.connection.isIdle { entry.connection.rest() } else { markAwake(entry) }
    }
  }

  /// True if exchanges can be judged before the next timer is due: no response waits for that.
  func isIdle(at now: MonotonicInstant, until next: MonotonicInstant) -> Bool {
    backend.state.hasUnjudgedBatch && now + Self.judgingTime < next
  }
}

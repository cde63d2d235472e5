import Primitives

/// The tokens of the connections that may hold memory that only busy ones need.
struct AwakeConnections {
  var tokens: [UInt64] = []
  /// Those that are to rest now.
  var resting: [UInt64] = []
}

extension EventLoop {
  static let maintenanceInterval = Duration.milliseconds(500)
  private static let maximumObsoleteWakeUps = 1_024
  /// The number of journals' entries that are evicted at once.
  private static let maximumEvictions = 20_000
  /// The number of connections that rest in one turn.
  private static let maximumResting = 64

  mutating func runMaintenance(at now: MonotonicInstant) {
    resetStalledPeers(at: now)
    guard application.state.runMaintenance(at: now) else {
      time.nextMaintenance = now
      return
    }
    application.state.sandboxes.boundJournals(evicting: Self.maximumEvictions)
    listeners.resume()
    // A schedule may end connections before the next regular maintenance; they must end in time.
    let outage = application.state.untilOutage ?? Self.maintenanceInterval
    time.nextMaintenance = now + min(outage, Self.maintenanceInterval)
    if awake.resting.isEmpty { swap(&awake.resting, &awake.tokens) }
    // Connections that ended during a plan's delay left obsolete wake-ups.
    if connections.wakeUps.count > 2 * connections.count + Self.maximumObsoleteWakeUps {
      connections.wakeUps = Timers()
      for member in connections.all {
        if let wakeUp = member.wakeUp { connections.wakeUps.add(wakeUp, token: member.token) }
      }
    }
  }

  /// Records that a connection is about to hold memory that only a busy one needs.
  mutating func awaken(_ member: ConnectionSet.Member) {
    member.isAwake = true
    awake.tokens.append(member.token)
  }

  /// Releases the memory of some connections that are idle; the others are visited again.
  mutating func restConnections() {
    var count = 0
    while count < Self.maximumResting, let token = awake.resting.popLast() {
      guard let member = connections[token] else { continue }
      count += 1
      member.isAwake = !member.connection.isIdle
      if member.isAwake { awake.tokens.append(token) } else { member.connection.rest() }
    }
  }
}

import Primitives

/// The memory that only busy connections need, which connections hand on to each other.
struct SpareMemory {
  /// The tokens of the connections that may hold some, and of those that are to rest now.
  var awake: [UInt64] = []
  var resting: [UInt64] = []
  /// The index in `awake` of the connection that got its memory last; the next one has held its own longest.
  var lastAwakened = -1
  /// The storage of sent output, for the next responses: with many connections, that of each one would be new memory.
  var output: [[UInt8]] = []
}

extension EventLoop {
  static let maintenanceInterval = Duration.milliseconds(500)
  private static let maximumObsoleteWakeUps = 1_024
  /// The number of connections that hold memory before they hand it to each other. A turn serves fewer, so the one that
  /// has held it longest is mostly idle; what they hold fits into a processor's cache.
  static let maximumAwake = 256
  /// The number of connections that rest in one turn.
  private static let maximumResting = 64
  /// A batch of exchanges is judged in less time.
  private static let judgingTime = NanosecondDuration(nanoseconds: 250_000)

  /// True if maintenance is due and must not wait for responses, because an outage may begin or end, or because it has
  /// waited for a whole interval.
  var isMaintenanceLate: Bool {
    guard now.tick >= time.nextMaintenance else { return false }
    return application.state.untilOutage != nil || now.tick >= time.nextMaintenance + Self.maintenanceInterval
  }

  mutating func runMaintenance(at now: MonotonicInstant) {
    resetStalledPeers(at: now)
    guard application.state.runMaintenance(at: now) else {
      time.nextMaintenance = now
      return
    }
    listeners.resume()
    // A schedule may end connections before the next regular maintenance; they must end in time.
    let outage = application.state.untilOutage ?? Self.maintenanceInterval
    time.nextMaintenance = now + min(outage, Self.maintenanceInterval)
    if memory.resting.isEmpty {
      swap(&memory.resting, &memory.awake)
      memory.output = []
      memory.lastAwakened = -1
    }
    // Connections that ended during a plan's delay left obsolete wake-ups.
    if connections.wakeUps.count > 2 * connections.count + Self.maximumObsoleteWakeUps {
      connections.wakeUps = Timers()
      for entry in connections.all {
        if let wakeUp = entry.wakeUp { connections.wakeUps.add(wakeUp, token: entry.token) }
      }
    }
  }

  /// Records that a connection is about to hold memory that only a busy one needs. If many connections hold some, it
  /// gets that of the one that has held it longest, if that one is idle.
  mutating func awaken(_ entry: ConnectionSet.Entry) {
    entry.isAwake = true
    guard memory.awake.count >= Self.maximumAwake else { return memory.awake.append(entry.token) }
    memory.lastAwakened = memory.lastAwakened + 1 < memory.awake.count ? memory.lastAwakened + 1 : 0
    if let other = connections[memory.awake[memory.lastAwakened]] {
      guard entry.connection.exchangeStorage(with: &other.connection) else { return memory.awake.append(entry.token) }
      other.isAwake = false
    }
    memory.awake[memory.lastAwakened] = entry.token
  }

  /// Releases the memory of some connections that are idle; the others are visited again.
  mutating func restConnections() {
    var count = 0
    while count < Self.maximumResting, let token = memory.resting.popLast() {
      guard let entry = connections[token] else { continue }
      count += 1
      entry.isAwake = !entry.connection.isIdle
      if entry.isAwake { memory.awake.append(token) } else { entry.connection.rest() }
    }
  }

  /// True if exchanges can be judged before the next timer is due: no response waits for that.
  func hasTimeToJudge(at now: MonotonicInstant, until next: MonotonicInstant) -> Bool {
    application.state.hasUnjudgedBatch && now + Self.judgingTime < next
  }
}

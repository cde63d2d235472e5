import Contract

@testable import Understudy

/// Simulates the event loop with virtual time, and cables instead of sockets.
final class SimulatedLoop: Loop {
  let backend: Backend
  let timeline: Timeline
  let witness: Witness
  let timeouts = Timeouts()
  private(set) var cables: [SimulatedConnection] = []
  /// All that there ever were.
  private(set) var past: [SimulatedConnection] = []
  private(set) var isDraining = false
  private(set) var findings: [String] = []
  private var ports: [Int: Labels] = [:]
  private var lastPort = 40_000

  init(_ backend: Backend, _ timeline: Timeline, _ witness: Witness) {
    self.backend = backend
    self.timeline = timeline
    self.witness = witness
  }

  func open(_ port: Int, for labels: Labels) throws(SystemError) -> Int {
    lastPort += 1
    ports[lastPort] = labels
    return lastPort
  }

  func close(_ port: Int) { ports[port] = nil }

  func suspend(_ port: Int) {}
  func resume(_ port: Int) throws(SystemError) {}

  func releaseResponses(of sandbox: String) {
    for cable in cables where cable.connection.sandbox == sandbox {
      cable.connection.release()
      markDirty(cable)
    }
  }

  /// The sandboxes with their own ports, in the order in which they got them.
  var sandboxesWithPorts: [String] { ports.sorted { $0.key < $1.key }.compactMap(\.value.sandbox) }

  let hasWorkers = true

  func runOffLoop(_ work: @escaping @Sendable () -> OnLoop, for backend: Backend) { work()(backend) }

  func discard(_ value: some Sendable) {}

  func resetConnections(of sandboxes: Set<String>) {
    for cable in cables where cable.connection.sandbox.map(sandboxes.contains) == true {
      cable.connection.isReset = true
      cable.excuse = cable.excuse ?? "its sandbox went offline"
      markDirty(cable)
    }
  }

  var connectionCount: Int { cables.count }

  /// Accepts a peer; returns nil if peers are refused.
  func admit(sandboxOfPort: String?, capacity: Int) -> SimulatedConnection? {
    let labels = Labels(sandbox: sandboxOfPort)
    guard !isDraining, !backend.refuses(labels) else { return nil }
    let connection = Connection(peer: "peer", port: labels, backend: backend, timeouts: timeouts)
    let cable = SimulatedConnection(connection, sandboxOfPort: sandboxOfPort, capacity: capacity)
    cables.append(cable)
    past.append(cable)
    schedule(cable)
    return cable
  }

  /// Handles bytes that arrived at the server's end of a cable.
  func wake(_ cable: SimulatedConnection) {
    guard cables.contains(where: { $0 === cable }) else { return }
    if cable.isBroken {
      cable.excuse = cable.excuse ?? "the peer was gone"
      drive(cable) { $0.disconnect() }
      return markDirty(cable)
    }
    guard cable.connection.wantsToRead, cable.isReadable else { return }
    read(cable)
    markDirty(cable)
  }

  private func read(_ cable: SimulatedConnection) {
    if cable.arrived.isEmpty {
      guard cable.hasFinArrived, !cable.wasFinRead else { return }
      cable.wasFinRead = true
      return drive(cable) { $0.finish() }
    }
    let bytes = cable.arrived
    cable.arrived = []
    cable.read += bytes.count
    drive(cable) { $0.receive(bytes[...]) }
  }

  /// Calls a connection; all calls are made here, so that the witness observes them.
  private func drive(_ cable: SimulatedConnection, _ event: (Connection) -> Void) {
    witness.look(before: cable.connection)
    event(cable.connection)
    witness.look(after: cable.connection)
  }

  private func markDirty(_ cable: SimulatedConnection) {
    guard !cable.isDirty else { return }
    cable.isDirty = true
    timeline.after(timeline.oneIn(2) ? .zero : timeline.pause(upTo: 1)) { [self] in
      cable.isDirty = false
      flush(cable)
    }
  }
}

extension SimulatedLoop {
  private func flush(_ cable: SimulatedConnection) {
    let connection = cable.connection
    while connection.output.pending > 0, !cable.isBroken {
      let (bytes, range) = connection.output.next(atMost: cable.room)
      guard !range.isEmpty else { return settle(cable) }
      cable.carry(bytes[range], at: timeline.now)
      drive(cable) { $0.didSend(range.count) }
      timeline.after(.zero) { cable.notify() }
    }
    if connection.output.pending > 0 {
      cable.excuse = cable.excuse ?? "the peer was gone"
      drive(cable) { $0.disconnect() }
    }
    end(cable)
    settle(cable)
  }

  private func end(_ cable: SimulatedConnection) {
    switch cable.connection.pendingAction {
    case .resume, .close: return
    case .shutDown:
      cable.finish(.finished, at: timeline.now)
      drive(cable) { $0.didShutDown() }
    case .reset:
      cable.finish(.reset, at: timeline.now)
      drive(cable) { $0.disconnect() }
    }
    timeline.after(.zero) { cable.notify() }
  }

  /// Updates the wait to the connection's needs.
  private func settle(_ cable: SimulatedConnection) {
    guard cable.connection.pendingAction != .close else {
      cable.finish(.closed, at: timeline.now)
      cables.removeAll { $0 === cable }
      return timeline.after(.zero) { cable.notify() }
    }
    if let work = cable.connection.takeWork() { run(work, of: cable) }
    if cable.connection.wantsToRead, cable.isReadable { timeline.after(.zero) { [self] in wake(cable) } }
    schedule(cable)
  }

  /// Work is done at once and completed later, while other events happen: its result is that of its begin.
  private func run(_ work: Work, of cable: SimulatedConnection) {
    let result = work.body()
    timeline.after(timeline.pause(upTo: 20)) { [self] in
      guard cable.connection.pendingAction != .close else { return }
      drive(cable) { $0.finish(work, result) }
      markDirty(cable)
    }
  }

  /// A slow loop may be late, but is never early.
  private func schedule(_ cable: SimulatedConnection) {
    if let wakeUp = cable.connection.wakeUp, wakeUp != cable.wakeUp {
      cable.wakeUp = wakeUp
      let lateness = timeline.oneIn(3) ? timeline.pause(upTo: 3) : .zero
      timeline.at(wakeUp + lateness) { [self] in resume(cable, asked: wakeUp) }
    }
    let timeout = cable.connection.timeout
    guard timeout != .distantFuture, cable.timer.map({ timeout < $0 }) ?? true else { return }
    cable.timer = timeout
    timeline.at(timeout) { [self] in expire(cable, asked: timeout) }
  }

  private func resume(_ cable: SimulatedConnection, asked: MonotonicInstant) {
    guard cable.connection.pendingAction != .close, cable.wakeUp == asked else { return }
    cable.wakeUp = nil
    guard let wakeUp = cable.connection.wakeUp, wakeUp <= timeline.now else { return }
    drive(cable) { $0.resume() }
    markDirty(cable)
  }

  private func expire(_ cable: SimulatedConnection, asked: MonotonicInstant) {
    guard cable.connection.pendingAction != .close, cable.timer == asked else { return }
    cable.timer = nil
    guard cable.connection.timeout <= timeline.now else { return schedule(cable) }
    if cable.connection.output.pending > 0 { cable.excuse = cable.excuse ?? "the peer took nothing for long" }
    cable.isUnheard = true
    drive(cable) { $0.expire() }
    markDirty(cable)
  }

  /// Room was made at the peer's end.
  func drained(_ cable: SimulatedConnection) {
    guard cable.connection.output.pending > 0 else { return }
    markDirty(cable)
  }

  func runMaintenance() {
    backend.runMaintenance(at: timeline.now)
    witness.look()
  }

  /// Stops like the server: waiting input is read once more, and after a grace period all connections are closed.
  func drain() {
    guard !isDraining else { return }
    isDraining = true
    for cable in cables {
      if cable.connection.wantsToRead { read(cable) }
      cable.isUnheard = true
      drive(cable) { $0.drain() }
      if cable.connection.progress.isSilent { findings.append("\(cable.name) stays silent through the drain") }
      markDirty(cable)
    }
    timeline.at(timeline.now + timeouts.drain) { [self] in
      for cable in cables {
        cable.excuse = cable.excuse ?? "the drain was over"
        drive(cable) { $0.disconnect() }
        markDirty(cable)
      }
    }
  }
}

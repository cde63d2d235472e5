import Contract
import HTTP1
import Platform

@testable import Primitives
@testable import Understudy

/// Simulates the event loop with virtual time, and simulated connections instead of sockets.
final class SimulatedLoop: Loop {
  let application: Application
  let timeline: Timeline
  let observer: JournalObserver
  let timeouts = Timeouts()
  private(set) var cables: [SimulatedConnection] = []
  /// All connections since the beginning of the run.
  private(set) var past: [SimulatedConnection] = []
  private(set) var isDraining = false
  private(set) var findings: [String] = []
  private var ports: [Int: Labels] = [:]
  private var lastPort = 40_000
  private var isInEvent = false
  private var asked: [() -> Void] = []

  init(_ application: Application, _ timeline: Timeline, _ observer: JournalObserver) {
    self.application = application
    self.timeline = timeline
    self.observer = observer
  }

  func open(_ port: Int, for labels: Labels, keepsReserve: Bool) throws(SystemError) -> Int {
    lastPort += 1
    ports[lastPort] = labels
    return lastPort
  }

  func close(_ port: Int) { ports[port] = nil }

  func suspend(_ port: Int) {}
  func resume(_ port: Int) throws(SystemError) {}

  func releaseResponses(of sandbox: String) {
    afterEvent { [self] in
      for cable in cables where cable.connection.sandbox == sandbox {
        cable.connection.release(at: application.now)
        markDirty(cable)
      }
    }
  }

  /// The sandboxes with their own ports, in the order in which they got them.
  var sandboxesWithPorts: [String] { ports.sorted { $0.key < $1.key }.compactMap(\.value.sandbox) }

  let hasWorkers = true

  func runOffLoop(_ work: @escaping @Sendable () -> OnLoop, for state: ServerState) { work()(state) }

  /// The excuse of a connection that an outage reset.
  static let outage = "its sandbox went offline"

  func resetConnections(of sandboxes: Set<String>) {
    afterEvent { [self] in
      for cable in cables where cable.connection.sandbox.map(sandboxes.contains) == true {
        cable.connection.reset(at: application.now)
        cable.excuse = cable.excuse ?? Self.outage
        markDirty(cable)
      }
    }
  }

  var connectionCount: Int { cables.count }

  /// Accepts a peer; returns nil if peers are refused.
  func admit(sandboxOfPort: String?, capacity: Int) -> SimulatedConnection? {
    let labels = Labels(sandbox: sandboxOfPort)
    guard !isDraining, !application.refuses(labels) else { return nil }
    let connection = Connection(
      peer: "peer", port: labels, application: application, timeouts: timeouts, at: application.now)
    let cable = SimulatedConnection(connection, sandboxOfPort: sandboxOfPort, capacity: capacity)
    cables.append(cable)
    past.append(cable)
    schedule(cable)
    return cable
  }

  /// Handles bytes that arrived at the server's end of a connection.
  func wake(_ cable: SimulatedConnection) {
    guard cables.contains(where: { $0 === cable }) else { return }
    if cable.isBroken {
      cable.excuse = cable.excuse ?? "the peer was gone"
      drive(cable) { $0.disconnect(at: $1) }
      return markDirty(cable)
    }
    guard cable.connection.http.wantsToRead, cable.isReadable else { return }
    read(cable)
    markDirty(cable)
  }

  private func read(_ cable: SimulatedConnection) {
    if cable.arrived.isEmpty {
      guard cable.hasFinArrived, !cable.wasFinRead else { return }
      cable.wasFinRead = true
      return drive(cable) { $0.finish(at: $1) }
    }
    let bytes = cable.arrived
    cable.arrived = []
    cable.read += bytes.count
    drive(cable) { $0.receive(bytes[...], at: $1) }
  }

  /// Calls a connection; all calls are made here, so that the observer observes them.
  private func drive(_ cable: SimulatedConnection, _ event: (inout Connection, ClockReading) -> Void) {
    observer.observe(before: cable.connection)
    isInEvent = true
    event(&cable.connection, application.now)
    isInEvent = false
    for action in asked { action() }
    asked = []
    observer.observe(after: cable.connection)
  }

  /// Performs an exchange's actions on other connections after its own connection's call.
  private func afterEvent(_ action: @escaping () -> Void) {
    if isInEvent { asked.append(action) } else { action() }
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
    while cable.connection.http.output.pending > 0, !cable.isBroken {
      let (bytes, range) = cable.connection.http.output.next(atMost: cable.room)
      guard !range.isEmpty else { return settle(cable) }
      cable.carry(bytes[range], at: timeline.now)
      drive(cable) { $0.didSend(range.count, at: $1) }
      timeline.after(.zero) { cable.notify() }
    }
    if cable.connection.http.output.pending > 0 {
      cable.excuse = cable.excuse ?? "the peer was gone"
      drive(cable) { $0.disconnect(at: $1) }
    }
    end(cable)
    settle(cable)
  }

  private func end(_ cable: SimulatedConnection) {
    switch cable.connection.http.pendingAction {
    case .resume, .close: return
    case .shutDown:
      cable.finish(.finished, at: timeline.now)
      drive(cable) { $0.didShutDown(at: $1) }
    case .reset:
      cable.finish(.reset, at: timeline.now)
      drive(cable) { $0.disconnect(at: $1) }
    }
    timeline.after(.zero) { cable.notify() }
  }

  /// Updates the wait to the connection's needs.
  private func settle(_ cable: SimulatedConnection) {
    guard cable.connection.http.pendingAction != .close else {
      cable.finish(.closed, at: timeline.now)
      cables.removeAll { $0 === cable }
      return timeline.after(.zero) { cable.notify() }
    }
    if let work = cable.connection.takeWork() { run(work, of: cable) }
    if cable.connection.http.wantsToRead, cable.isReadable { timeline.after(.zero) { [self] in wake(cable) } }
    schedule(cable)
  }

  /// Runs a job at once and completes it later, after other events; its result belongs to the state at its begin.
  private func run(_ work: Connection.TakenWork, of cable: SimulatedConnection) {
    guard let result = work.run() else { return }
    timeline.after(timeline.pause(upTo: 20)) { [self] in
      guard cable.connection.http.pendingAction != .close else { return }
      drive(cable) { $0.finish(work.exchange, with: result, at: $1) }
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
    let timeout = cable.connection.http.timeout
    guard timeout != .distantFuture, cable.timer.map({ timeout < $0 }) ?? true else { return }
    cable.timer = timeout
    timeline.at(timeout) { [self] in expire(cable, asked: timeout) }
  }

  private func resume(_ cable: SimulatedConnection, asked: MonotonicInstant) {
    guard cable.connection.http.pendingAction != .close, cable.wakeUp == asked else { return }
    cable.wakeUp = nil
    guard let wakeUp = cable.connection.wakeUp, wakeUp <= timeline.now else { return }
    drive(cable) { $0.resume(at: $1) }
    markDirty(cable)
  }

  private func expire(_ cable: SimulatedConnection, asked: MonotonicInstant) {
    guard cable.connection.http.pendingAction != .close, cable.timer == asked else { return }
    cable.timer = nil
    guard cable.connection.http.timeout <= timeline.now else { return schedule(cable) }
    if cable.connection.http.output.pending > 0 { cable.excuse = cable.excuse ?? "the peer took nothing for long" }
    cable.isUnheard = true
    drive(cable) { $0.expire(at: $1) }
    markDirty(cable)
  }

  /// The peer has read bytes, so that its socket accepts more.
  func drained(_ cable: SimulatedConnection) {
    guard cable.connection.http.output.pending > 0 else { return }
    markDirty(cable)
  }

  func runMaintenance() {
    application.state.runMaintenance(at: timeline.now)
    observer.observe()
  }

  /// Stops like the server: waiting input is read once more, and after a grace period all connections are closed.
  func drain() {
    guard !isDraining else { return }
    isDraining = true
    for cable in cables {
      if cable.connection.http.wantsToRead { read(cable) }
      cable.isUnheard = true
      drive(cable) { $0.drain(at: $1) }
      if cable.connection.isSilent { findings.append("\(cable.name) stays silent through the drain") }
      markDirty(cable)
    }
    timeline.at(timeline.now + timeouts.drain) { [self] in
      for cable in cables {
        cable.excuse = cable.excuse ?? "the drain was over"
        drive(cable) { $0.disconnect(at: $1) }
        markDirty(cable)
      }
    }
  }
}

import Contract
import HTTP1
import Platform
import Services

@testable import Primitives
@testable import Understudy

/// Client connections to an application in virtual time. The server's end is the real connection, without a socket.
final class Network: Loop {
  let application: Application
  let time: VirtualTime
  private let timeouts = Timeouts()
  private var wires: [Wire] = []
  private var keyCount = 0

  init(_ application: Application, _ time: VirtualTime) {
    self.application = application
    self.time = time
    application.state.loop = self
  }

  /// Opens a connection from a client's address.
  func connect(from address: String) -> Wire {
    let connection = Connection(
      peer: address, port: Labels(), application: application, timeouts: timeouts, at: application.now)
    let wire = Wire(connection)
    wires.append(wire)
    schedule(wire)
    return wire
  }

  func newKey() -> String {
    keyCount += 1
    return "key-\(keyCount)"
  }

  /// Delivers bytes to the server after the network's latency.
  func send(_ bytes: [UInt8], on wire: Wire) {
    time.after(latency) { [self] in
      guard wire.ending == nil, !wire.isAbandoned else { return }
      wire.connection.receive(bytes[...], at: application.now)
      flush(wire)
    }
  }

  /// Closes the client's end. The server gets the FIN after the latency, and after its next bytes an RST.
  func abandon(_ wire: Wire) {
    wire.isAbandoned = true
    wire.onChange = {}
    time.after(latency) { [self] in
      guard wire.connection.http.pendingAction != .close else { return }
      wire.connection.finish(at: application.now)
      flush(wire)
    }
  }

  private func refuse(_ wire: Wire) {
    time.after(latency) { [self] in
      guard wire.connection.http.pendingAction != .close else { return }
      wire.connection.disconnect(at: application.now)
      flush(wire)
    }
  }

  private var latency: Duration { time.milliseconds(1...4) }

  /// Performs what the event loop does about twice a second.
  func runMaintenance() {
    application.state.runMaintenance(at: time.now)
    var budget = JournalFollower.Budget()
    for wire in wires where wire.connection.isStreaming {
      wire.connection.follow(within: &budget, at: application.now)
      flush(wire)
    }
  }

  // MARK: Loop

  func open(_ port: Int, for labels: Labels, keepsReserve: Bool) throws(SystemError) -> Int {
    throw SystemError("no ports here")
  }
  func close(_ port: Int) {}
  func suspend(_ port: Int) {}
  func resume(_ port: Int) throws(SystemError) {}

  func releaseResponses(of sandbox: String) {
    time.after(.zero) { [self] in
      for wire in wires where wire.connection.sandbox == sandbox {
        wire.connection.release(at: application.now)
        flush(wire)
      }
    }
  }

  var hasWorkers: Bool { false }
  func runOffLoop(_ work: @escaping @Sendable () -> OnLoop, for state: ServerState) { work()(state) }
  var connectionCount: Int { wires.count }

  func answer(_ question: Int, with response: Services.Response) {
    time.after(.zero) { [self] in
      guard let wire = wires.first(where: { $0.connection.working == question }) else {
        return application.finishUnattended(question, with: response, at: application.now)
      }
      wire.connection.finish(question, with: response, at: application.now)
      flush(wire)
    }
  }

  func resetConnections(of sandboxes: Set<String>) {
    // The exchange that requests this must end first.
    time.after(.zero) { [self] in
      for wire in wires where wire.connection.sandbox.map(sandboxes.contains) == true {
        wire.connection.reset(at: application.now)
        flush(wire)
      }
    }
  }
}

extension Network {
  private func flush(_ wire: Wire) {
    if let work = wire.connection.takeWork(), case .question(let question, let source) = work.task {
      source.ask(question, by: self)
    }
    if wire.isAbandoned, wire.connection.http.output.pending > 0 { refuse(wire) }
    while wire.connection.http.output.pending > 0 {
      let (bytes, range) = wire.connection.http.output.next(atMost: 1 << 20)
      wire.received += bytes[range]
      wire.connection.didSend(range.count, at: application.now)
    }
    switch wire.connection.http.pendingAction {
    case .resume: break
    case .shutDown:
      wire.ending = .finished
      wire.connection.didShutDown(at: application.now)
    case .reset:
      wire.ending = .reset
      wire.connection.disconnect(at: application.now)
    case .close: wire.ending = wire.ending ?? .finished
    }
    time.after(latency) { wire.onChange() }
    if wire.connection.http.pendingAction == .close { wires.removeAll { $0 === wire } } else { schedule(wire) }
  }

  private func schedule(_ wire: Wire) {
    if let wakeUp = wire.connection.wakeUp, wakeUp != wire.wakeUp {
      wire.wakeUp = wakeUp
      time.at(wakeUp) { [self] in resume(wire, asked: wakeUp) }
    }
    let timeout = wire.connection.http.timeout
    guard timeout != .distantFuture, wire.timer.map({ timeout < $0 }) ?? true else { return }
    wire.timer = timeout
    time.at(timeout) { [self] in expire(wire, asked: timeout) }
  }

  private func resume(_ wire: Wire, asked: MonotonicInstant) {
    guard wire.connection.http.pendingAction != .close, wire.wakeUp == asked else { return }
    wire.wakeUp = nil
    guard let wakeUp = wire.connection.wakeUp, wakeUp <= time.now else { return schedule(wire) }
    if wire.connection.isStreaming {
      var budget = JournalFollower.Budget()
      wire.connection.follow(within: &budget, at: application.now)
    } else {
      wire.connection.resume(at: application.now)
    }
    flush(wire)
  }

  private func expire(_ wire: Wire, asked: MonotonicInstant) {
    guard wire.connection.http.pendingAction != .close, wire.timer == asked else { return }
    wire.timer = nil
    guard wire.connection.http.timeout <= time.now else { return schedule(wire) }
    wire.connection.expire(at: application.now)
    flush(wire)
  }
}

/// The state of a connection at both of its ends.
final class Wire {
  enum TransportFault { case finished, reset }

  var connection: Connection
  /// The bytes received for the current request.
  var received: [UInt8] = []
  /// The minimum number of bytes of a complete response.
  var minimum = 0
  var ending: TransportFault?
  /// True once the client has closed its end.
  var isAbandoned = false
  /// Called when bytes or the end of the connection have reached the client.
  var onChange: () -> Void = {}
  // The timers that are set for the server's end.
  var wakeUp: MonotonicInstant?
  var timer: MonotonicInstant?

  init(_ connection: consuming Connection) { self.connection = connection }
}

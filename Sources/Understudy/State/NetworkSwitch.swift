import Contract
import Faults
import JSON

/// A sandbox's network switch. It lies over the scenario and knows nothing of it.
///
/// Times are the sandbox's own.
struct NetworkSwitch: Sendable, Equatable {
  enum Ordinal: Sendable, Equatable {
    case online
    /// Responses are kept back.
    case held
    case offline(Outage)

    var word: String {
      switch self {
      case .online: "online"
      case .held: "held"
      case .offline: "offline"
      }
    }

    var outage: Outage? { if case .offline(let outage) = self { outage } else { nil } }
  }

  /// The way in which a client meets an outage.
  enum Outage: String, Sendable, CaseIterable {
    /// Each connection is reset.
    case reset
    /// The sandbox's own port does not listen.
    case refused
    /// Connections stay open, and nothing is sent.
    case silence
  }

  private(set) var position = Ordinal.online
  /// The moment at which it goes back online by itself; nil where that has to be said.
  private(set) var until: Instant?
  private var since: Instant?
  /// The time that it was not online in earlier positions.
  private var timeBefore = Duration.zero

  var isOnline: Bool { position == .online }
  /// True if connections are reset.
  var cutsConnections: Bool { position == .offline(.reset) || position == .offline(.refused) }
  /// True if no response begins.
  var keepsResponses: Bool { position == .held || position == .offline(.silence) }

  mutating func set(_ position: Ordinal, for duration: Duration?, at now: Instant) {
    timeBefore = timeOffline(at: now)
    self.position = position
    since = position == .online ? nil : now
    until = duration.map { now + $0 }
  }

  /// True if its time has passed.
  func isOver(at now: Instant) -> Bool { until.map { $0 <= now } ?? false }

  /// The time until it goes back online by itself.
  func remaining(at now: Instant) -> Duration? { until.map { max(.zero, $0 - now) } }

  /// The time that clients could not have had a response because of it.
  func timeOffline(at now: Instant) -> Duration {
    guard let since else { return timeBefore }
    return timeBefore + max(.zero, min(now, until ?? now) - since)
  }

  /// The plan of a request that meets it; nil where that is the scenario's.
  ///
  /// - Parameter changes: True if the request is a write.
  func plan(changes: Bool) -> Plan? {
    guard let outage = position.outage else { return nil }
    var plan = Plan(.ordinal(0))
    plan.fault = Fault(.ending(outage == .silence ? .hang(Hold()) : .offline), changes: changes)
    plan.isTimed = true
    return plan
  }
}

extension Backend {
  /// Sets a sandbox's network switch.
  ///
  /// - Parameter duration: The time after which it goes back online by itself; nil where that has to be said.
  /// - Throws: A problem where the sandbox has no port to close, or its port is not to be had again.
  func switchNetwork(
    of sandbox: Sandbox, to position: NetworkSwitch.Ordinal, for duration: Duration? = nil
  ) throws(Problem) {
    let (real, before) = (realTime, sandbox.network.position)
    try openPort(of: sandbox, unless: position == .offline(.refused))
    // Connections that fell silent do not come back: their clients would wait for what was never received.
    if before == .offline(.silence), position != before { loop.resetConnections(of: [sandbox.name]) }
    sandbox.network.set(position, for: duration, at: sandbox.now(at: real))
    let manner = position.outage.map { " (\($0.rawValue))" } ?? ""
    let time = duration.map { " for \(DurationText.text($0))" } ?? ""
    sandbox.journal.note("switched the network to \(position.word)\(manner)\(time)", versions: nil, at: real)
    if duration != nil { isScheduleNew = true }
    if sandbox.network.cutsConnections { loop.resetConnections(of: [sandbox.name]) }
    if !sandbox.network.keepsResponses { loop.releaseResponses(of: sandbox.name) }
  }

  private func openPort(of sandbox: Sandbox, unless isRefused: Bool) throws(Problem) {
    guard let port = sandbox.port else {
      if isRefused { throw .noPortToRefuse(sandbox.name) }
      return
    }
    guard !isRefused else { return loop.suspend(port) }
    do throws(SystemError) {
      try loop.resume(port)
    } catch {
      throw .unavailablePort(port, "\(error)")
    }
  }

  /// Switches a sandbox's network to online if its time offline is over.
  func settleNetwork(of sandbox: Sandbox) {
    guard sandbox.network.isOver(at: sandbox.now(at: realTime)) else { return }
    do throws(Problem) {
      try switchNetwork(of: sandbox, to: .online)
    } catch {
      notify("the network of the sandbox \(sandbox.name) stays offline: \(error.detail)")
      sandbox.network.set(.offline(.reset), for: nil, at: sandbox.now(at: realTime))
      sandbox.journal.note("the network stays offline: \(error.detail)", versions: nil, at: realTime)
    }
  }
}

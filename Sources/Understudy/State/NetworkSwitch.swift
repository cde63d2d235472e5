import Contract
import Faults
import JSON
import Platform
import Primitives

/// A sandbox's network switch. It takes precedence over the scenario, and does not depend on it.
///
/// All times are by the sandbox's clock.
struct NetworkSwitch: Sendable, Equatable {
  enum Position: Sendable, Equatable {
    case online
    /// Responses are held.
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

  private(set) var position = Position.online
  /// The time at which it goes back online by itself; nil if it stays as it is until it is switched.
  private(set) var until: Instant?
  private var since: Instant?
  /// The time for which it was not online in earlier positions.
  @StoredNanoseconds private var timeBefore: Duration

  var isOnline: Bool { if case .online = position { true } else { false } }
  /// True if it has not always been online.
  var wasSwitched: Bool { since != nil || $timeBefore != .zero }
  /// True if connections are reset.
  var cutsConnections: Bool { position.outage?.cutsConnections == true }
  /// True if no more bytes of responses are released.
  var isSilent: Bool { position == .offline(.silence) }
  /// True if responses are not begun.
  var holdsResponses: Bool { position == .held || isSilent }

  /// Returns the switch in another position, from now on.
  ///
  /// - Parameter duration: The time after which it goes back online by itself; nil if it does not.
  func switched(to position: Position, for duration: Duration?, at now: Instant) -> NetworkSwitch {
    var next = NetworkSwitch()
    next.timeBefore = timeOffline(at: now)
    next.position = position
    next.since = position == .online ? nil : now
    next.until = duration.map { now + $0 }
    return next
  }

  /// Returns true if the time is over after which it goes back online by itself.
  func isOver(at now: Instant) -> Bool { until.map { $0 <= now } ?? false }

  /// Returns the time until it goes back online by itself; nil if it does not.
  func remaining(at now: Instant) -> Duration? { until.map { max(.zero, $0 - now) } }

  /// Returns the time for which it kept clients from getting responses.
  func timeOffline(at now: Instant) -> Duration {
    guard let since else { return timeBefore }
    return timeBefore + max(.zero, min(now, until ?? now) - since)
  }

  /// Returns the plan of a request during an outage; nil if the scenario decides.
  ///
  /// - Parameter changes: True if the request is a write.
  func plan(changes: Bool) -> Plan? {
    position.outage.map { Plan.outage(isSilent: $0 == .silence, changes: changes) }
  }
}

extension ServerState {
  /// Sets a sandbox's network switch.
  ///
  /// - Parameter duration: The time after which it goes back online by itself; nil if it does not.
  /// - Throws: A problem if the sandbox has no port to close, or if its port cannot be opened again.
  func switchNetwork(
    of sandbox: Sandbox, to position: NetworkSwitch.Position, for duration: Duration? = nil
  ) throws(Problem) {
    let (real, before) = (clocks.instant(), sandbox.traffic.network.position)
    if position == .offline(.refused), sandbox.identity.port == nil { throw .noPortToRefuse(sandbox.name) }
    try setPort(of: sandbox, isRefusing: position == .offline(.refused) || sandbox.traffic.scheduledOutage == .refused)
    // Silent connections do not recover: their clients would wait for responses to requests that were dropped.
    if before == .offline(.silence), position != before { loop.resetConnections(of: [sandbox.name]) }
    sandbox.traffic.network = sandbox.traffic.network.switched(to: position, for: duration, at: sandbox.now(at: real))
    let manner = position.outage.map { " (\($0.rawValue))" } ?? ""
    let time = duration.map { " for \(DurationText.text($0))" } ?? ""
    sandbox.traffic.record("switched the network to \(position.word)\(manner)\(time)", versions: nil, at: real)
    if duration != nil { isScheduleNew = true }
    if sandbox.traffic.network.cutsConnections { loop.resetConnections(of: [sandbox.name]) }
    if !sandbox.traffic.holdsResponses { loop.releaseResponses(of: sandbox.name) }
  }

  /// Lets a sandbox's port and connections follow the outages that its scenario schedules.
  func followSchedule(of sandbox: Sandbox, at real: Instant) {
    let (before, now) = (sandbox.traffic.scheduledOutage, sandbox.outageBySchedule(at: real))
    // A scenario that is not stored yet may be rolled back, and a connection cannot.
    guard before != now, !sandbox.isUncommitted else { return }
    do throws(Problem) {
      let isRefusing = now == .refused || sandbox.traffic.network.position == .offline(.refused)
      try setPort(of: sandbox, isRefusing: isRefusing)
    } catch {
      return notify("the sandbox \(sandbox.name) stays offline: \(error.detail)")
    }
    sandbox.traffic.scheduledOutage = now
    // Silent connections do not recover: their clients would wait for responses to requests that were dropped.
    if before == .silence { loop.resetConnections(of: [sandbox.name]) }
    if !sandbox.traffic.holdsResponses { loop.releaseResponses(of: sandbox.name) }
  }

  /// Lets a sandbox's own port, if it has one, listen or refuse connections.
  func setPort(of sandbox: Sandbox, isRefusing: Bool) throws(Problem) {
    guard let port = sandbox.identity.port else { return }
    guard !isRefusing else { return loop.suspend(port) }
    do throws(SystemError) {
      try loop.resume(port)
    } catch {
      throw .unavailablePort(port, "\(error)")
    }
  }

  /// Switches a sandbox's network to online if its time offline is over.
  func updateNetwork(of sandbox: Sandbox) {
    guard sandbox.traffic.network.isOver(at: sandbox.now(at: clocks.instant())) else { return }
    do throws(Problem) {
      try switchNetwork(of: sandbox, to: .online)
    } catch {
      notify("the network of the sandbox \(sandbox.name) stays offline: \(error.detail)")
      sandbox.traffic.network = sandbox.traffic.network.switched(
        to: .offline(.reset), for: nil, at: sandbox.now(at: clocks.instant()))
      sandbox.traffic.record("the network stays offline: \(error.detail)", versions: nil, at: clocks.instant())
    }
  }
}

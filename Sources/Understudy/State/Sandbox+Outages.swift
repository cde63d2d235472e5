import Contract
import Faults
import Primitives

extension Sandbox {
  /// Returns true if its connections are reset, by the network switch or by the scenario's schedule.
  func isOffline(at real: Instant) -> Bool { network.cutsConnections || isScheduledOffline(at: real) }

  func isScheduledOffline(at real: Instant) -> Bool { outageBySchedule(at: real)?.cutsConnections == true }

  /// Returns the outage that its scenario schedules at a time.
  func outageBySchedule(at real: Instant) -> Outage? {
    guard scenarioState.armed.hasOutages else { return nil }
    return scenarioState.armed.outage(at: scenarioState.elapsed(at: now(at: real)))
  }

  /// True if no more bytes of responses are released.
  var isSilent: Bool { network.isSilent || scheduledOutage == .silence }

  /// True if responses are not begun.
  var holdsResponses: Bool { network.holdsResponses || scheduledOutage == .silence }

  /// Returns the time for which schedules and the network switch kept it offline since it was made or reset, by its own
  /// clock; overlapping outages count several times.
  ///
  /// - Parameter real: The current time, evaluated only if there is a schedule or the switch is not online.
  func timeOffline(at real: @autoclosure () -> Instant) -> Duration {
    let switched = network.isOnline ? network.timeOffline(at: start.at) : network.timeOffline(at: now(at: real()))
    return scheduledTimeOffline(at: real()) + switched
  }

  /// False if it was never offline, so that its time offline is zero.
  var mayHaveBeenOffline: Bool {
    timeOfflineBefore != .zero || network.wasSwitched || scenarioState.armed.hasOutages
  }

  func scheduledTimeOffline(at real: @autoclosure () -> Instant) -> Duration {
    let before = timeOfflineBefore.duration
    guard scenarioState.armed.hasOutages else { return before }
    return before + scenarioState.armed.timeOffline(until: scenarioState.elapsed(at: now(at: real())))
  }

  /// Returns the time until its schedule takes it offline or back online, or until its network switch goes back online;
  /// nil if that never happens.
  func untilOutage(at real: Instant) -> Duration? {
    guard !clock.isFrozen else { return nil }
    let now = now(at: real)
    let elapsed = scenarioState.elapsed(at: now)
    let scheduled = scenarioState.armed.nextOutageChange(after: elapsed).map { $0 - elapsed }
    return [scheduled, network.remaining(at: now)].compactMap(\.self).min()
  }
}

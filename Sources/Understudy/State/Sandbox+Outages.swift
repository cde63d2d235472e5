import Contract
import Faults
import Primitives

extension Sandbox {
  /// Returns true if its connections are reset, by the network switch or by the scenario's schedule.
  func isOffline(at real: Instant) -> Bool { traffic.network.cutsConnections || isScheduledOffline(at: real) }

  /// True if something happens in it without a request: by its scenario, or by its network switch.
  var actsByItself: Bool {
    state.scenarioState.armed.actsByItself || !traffic.network.isOnline || traffic.scheduledOutage != nil
  }

  func isScheduledOffline(at real: Instant) -> Bool { outageBySchedule(at: real)?.cutsConnections == true }

  /// Returns the outage that its scenario schedules at a time.
  func outageBySchedule(at real: Instant) -> Outage? {
    guard state.scenarioState.armed.hasOutages else { return nil }
    return state.scenarioState.armed.outage(at: state.scenarioState.elapsed(at: now(at: real)))
  }

  /// Returns the time for which schedules and the network switch kept it offline since it was made or reset, by its own
  /// clock; overlapping outages count several times.
  ///
  /// - Parameter real: The current time, evaluated only if there is a schedule or the switch is not online.
  func timeOffline(at real: @autoclosure () -> Instant) -> Duration {
    let network = traffic.network
    let switched = network.timeOffline(at: network.isOnline ? state.startedAt : now(at: real()))
    return scheduledTimeOffline(at: real()) + switched
  }

  /// False if it was never offline, so that its time offline is zero.
  var mayHaveBeenOffline: Bool {
    state.timeOfflineBefore != .zero || traffic.network.wasSwitched || state.scenarioState.armed.hasOutages
  }

  func scheduledTimeOffline(at real: @autoclosure () -> Instant) -> Duration {
    let before = state.timeOfflineBefore.duration
    guard state.scenarioState.armed.hasOutages else { return before }
    return before + state.scenarioState.armed.timeOffline(until: state.scenarioState.elapsed(at: now(at: real())))
  }

  /// Returns the time until its schedule takes it offline or back online, or until its network switch goes back online;
  /// nil if that never happens.
  func untilOutage(at real: Instant) -> Duration? {
    guard !state.clock.isFrozen else { return nil }
    let now = now(at: real)
    let elapsed = state.scenarioState.elapsed(at: now)
    let scheduled = state.scenarioState.armed.nextOutageChange(after: elapsed).map { $0 - elapsed }
    return [scheduled, traffic.network.remaining(at: now)].compactMap(\.self).min()
  }
}

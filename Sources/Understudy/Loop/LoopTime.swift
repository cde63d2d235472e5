import Primitives

/// The time of a loop: of its current event, and of what it does next.
struct LoopTime {
  /// The time of the current event.
  var now: ClockReading
  /// The instant before which no timer is due, as of the last poll.
  var nextDue: MonotonicInstant
  var nextMaintenance: MonotonicInstant
  /// The instant at which unfinished responses are cut; nil until the loop is stopped.
  var drainEnds: MonotonicInstant?

  init(_ now: ClockReading) {
    self.now = now
    nextDue = now.tick
    nextMaintenance = now.tick + EventLoop.maintenanceInterval
  }
}

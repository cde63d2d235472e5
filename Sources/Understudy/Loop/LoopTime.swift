import Primitives

/// The time of a loop: of its current event, of its turn, and of what it does next.
struct LoopTime {
  /// The time of the current event.
  var now: ClockReading
  /// The instant at which the last poll returned; nil before the first one.
  private(set) var turnBegan: MonotonicInstant?
  /// The numbers of bytes that the turn may still pass to sockets, and read from them.
  var sendableBytes = 0
  var receivableBytes = 0
  /// The instant before which no timer is due, as of the last poll.
  var nextDue: MonotonicInstant
  var nextMaintenance: MonotonicInstant
  /// The instant at which unfinished responses are cut; nil until the loop is stopped.
  var drainEnds: MonotonicInstant?

  /// The maximum number of bytes that one turn sends, and of those that it reads: about 1 ms of copying.
  static let maximumBytes = 4 << 20

  init(_ now: ClockReading) {
    self.now = now
    nextDue = now.tick
    nextMaintenance = now.tick + EventLoop.maintenanceInterval
  }

  /// Begins the time of a turn.
  mutating func beginTurn(at now: ClockReading) {
    self.now = now
    turnBegan = now.tick
    (sendableBytes, receivableBytes) = (Self.maximumBytes, Self.maximumBytes)
  }
}

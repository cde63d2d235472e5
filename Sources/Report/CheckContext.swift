package import Primitives

/// The moment for which a card is made.
package struct CheckContext: Sendable {
  /// Real time plus the clock's advances, as in observations.
  let now: MonotonicInstant
  /// The time for which the sandbox was offline so far, as in observations.
  let timeOffline: Duration
  /// The total advance of the sandbox's clock.
  let advanced: Duration
  /// True if the sandbox is offline.
  let isOffline: Bool
  /// True if no more requests will come: an action that is missing now will not follow.
  let isFinal: Bool
  /// The exit code of the command whose run it was; nil if no command has ended.
  let exitCode: Int32?
  /// True if the sandbox is about to be reset under its clients: their next actions stay unknown.
  let isReset: Bool

  /// The time of a clock that is never advanced, and that stops while the sandbox is off the network.
  var online: MonotonicInstant { now - advanced - timeOffline }

  package init(
    now: MonotonicInstant, timeOffline: Duration = .zero, advanced: Duration = .zero, isOffline: Bool = false,
    isFinal: Bool = false, isReset: Bool = false, exitCode: Int32? = nil
  ) {
    self.now = now
    self.timeOffline = timeOffline
    self.advanced = advanced
    self.isOffline = isOffline
    self.isFinal = isFinal
    self.isReset = isReset
    self.exitCode = exitCode
  }
}

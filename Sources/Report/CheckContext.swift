package import Primitives

/// The time and the state for which a card is made.
package struct CheckContext: Sendable {
  /// Real time plus the clock's advances, as in observations.
  let now: MonotonicInstant
  /// The time for which the sandbox was offline so far, as in observations.
  let timeOffline: Duration
  /// The total advance of the sandbox's clock.
  let advanced: Duration
  /// True if no more requests will come: an action that is missing now will not follow.
  let isFinal: Bool
  /// True if the sandbox is about to be reset under its clients: their next actions stay unknown.
  let isReset: Bool
  /// The current state, for checks that compare it.
  let state: State?
  /// The number of logical requests.
  var requests = 0
  /// The clients without names, of which each may be several.
  var unnamed = UnnamedClients()
  /// The history of the audited records.
  var history = History()

  /// The time of a clock that is never advanced, and that stops while the sandbox is off the network.
  var online: MonotonicInstant { now - advanced - timeOffline }

  /// The state of a sandbox as the audit asks for it.
  package struct State: Sendable {
    let version: Int
    package let value: @Sendable (Register) -> String?
    /// The counters that operations count down, such as free spots.
    let counters: [Register: Int]

    package init(version: Int, value: @escaping @Sendable (Register) -> String?, counters: [Register: Int]) {
      self.version = version
      self.value = value
      self.counters = counters
    }
  }

  package init(
    now: MonotonicInstant, timeOffline: Duration = .zero, advanced: Duration = .zero, isFinal: Bool = false,
    isReset: Bool = false, state: State? = nil
  ) {
    self.now = now
    self.timeOffline = timeOffline
    self.advanced = advanced
    self.isFinal = isFinal
    self.isReset = isReset
    self.state = state
  }
}

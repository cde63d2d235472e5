import Contract
import Primitives

/// One reading of the machine's two clocks.
///
/// The loop reads them when a poll returns, and whenever the next event may have come later. All that follows from an
/// event happens at this time. Only the end of an exchange is measured, unless its record is completed later.
struct ClockReading: Sendable, Equatable {
  /// The time that no one sets, for durations.
  let tick: MonotonicInstant
  let real: Instant

  /// Returns the reading at a later tick, as if the real time were not set in between.
  func advanced(to later: MonotonicInstant) -> ClockReading {
    ClockReading(tick: later, real: real + NanosecondDuration(from: tick, to: later))
  }
}

/// The sources of time.
struct Clocks: Sendable {
  let tick: @Sendable () -> MonotonicInstant
  let instant: @Sendable () -> Instant

  static let system = Clocks(tick: SystemClock.tick, instant: SystemClock.instant)

  var now: ClockReading { ClockReading(tick: tick(), real: instant()) }
}

package import Primitives

/// The completed delays of exchanges: planned, measured, and the lateness of each.
package struct Delays: Sendable, Equatable {
  package private(set) var planned = Histogram()
  package private(set) var measured = Histogram()
  /// Measured minus planned; delays that ended too early count as 0.
  package private(set) var lateness = Histogram()
  /// The number of delays that ended too early, which should always be 0.
  package private(set) var early = 0

  package init() {}

  package mutating func record(planned: NanosecondDuration, measured: NanosecondDuration) {
    self.planned.record(planned)
    self.measured.record(measured)
    lateness.record(measured - planned)
    if measured < planned { early += 1 }
  }
}

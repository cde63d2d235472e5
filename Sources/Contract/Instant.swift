import JSON
package import Primitives

/// A point in time, in nanoseconds since 1970-01-01T00:00:00Z, without leap seconds.
///
/// The range is 1677 to 2262, and arithmetic saturates: clients may ask for times outside it, which must not crash the
/// server.
package struct Instant: Sendable, Hashable, Comparable {
  package var nanoseconds: Int64

  package init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  package init(seconds: Int64) {
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    nanoseconds = overflow ? (seconds < 0 ? .min : .max) : product
  }

  package static func < (left: Instant, right: Instant) -> Bool { left.nanoseconds < right.nanoseconds }

  /// Returns the sum, clamped to the years 1677 to 2262.
  package static func + (instant: Instant, duration: Duration) -> Instant { instant + NanosecondDuration(duration) }

  /// Returns the sum, clamped to the years 1677 to 2262.
  package static func + (instant: Instant, duration: NanosecondDuration) -> Instant {
    let (sum, overflow) = instant.nanoseconds.addingReportingOverflow(duration.nanoseconds)
    return Instant(nanoseconds: overflow ? (instant.nanoseconds < 0 ? .min : .max) : sum)
  }

  package static func - (left: Instant, right: Instant) -> Duration {
    .nanoseconds(left.nanoseconds) - .nanoseconds(right.nanoseconds)
  }

  /// Whole seconds since the epoch, rounded down.
  package var seconds: Int64 { Self.floor(nanoseconds, 1_000_000_000).quotient }

  static func floor(_ value: Int64, _ divisor: Int64) -> (quotient: Int64, remainder: Int64) {
    let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}

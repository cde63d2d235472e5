/// A reading of the monotonic clock in nanoseconds; only differences have a meaning.
///
/// It is public, as all of this module that stands on a request's path: the compiler inlines small public functions of another
/// module, and never those of package access. The module is no product, so no user of the package sees it.
public struct MonotonicInstant: Sendable, Hashable, Comparable {
  /// The reading, in nanoseconds.
  public let nanoseconds: Int64

  /// An instant that is never reached.
  public static var distantFuture: MonotonicInstant { MonotonicInstant(nanoseconds: .max) }

  /// Creates an instant from a reading in nanoseconds.
  public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  public static func < (left: MonotonicInstant, right: MonotonicInstant) -> Bool {
    left.nanoseconds < right.nanoseconds
  }

  /// Returns the instant that much later; `distantFuture` where the sum is out of range.
  public static func + (tick: MonotonicInstant, duration: Duration) -> MonotonicInstant {
    tick + NanosecondDuration(duration)
  }

  /// Returns the instant that much earlier.
  public static func - (tick: MonotonicInstant, duration: Duration) -> MonotonicInstant {
    MonotonicInstant(nanoseconds: tick.nanoseconds - duration.nanoseconds)
  }

  /// Returns the time between two instants.
  public static func - (left: MonotonicInstant, right: MonotonicInstant) -> Duration {
    .nanoseconds(left.nanoseconds - right.nanoseconds)
  }
}

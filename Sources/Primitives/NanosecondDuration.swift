/// A duration in nanoseconds on the monotonic clock. Adding it is cheap; a `Duration` would first have to be split into
/// components.
public struct NanosecondDuration: Sendable, Hashable, Comparable {
  /// The duration, in nanoseconds.
  public let nanoseconds: Int64

  /// Returns a duration of whole seconds.
  public static func seconds(_ count: Int64) -> NanosecondDuration {
    NanosecondDuration(nanoseconds: count * 1_000_000_000)
  }

  /// Returns a duration of whole milliseconds.
  public static func milliseconds(_ count: Int64) -> NanosecondDuration {
    NanosecondDuration(nanoseconds: count * 1_000_000)
  }

  /// No time at all.
  public static var zero: NanosecondDuration { NanosecondDuration(nanoseconds: 0) }

  /// Creates a duration from its nanoseconds.
  public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  /// Creates a duration, clamped to ± 292 years.
  public init(_ duration: Duration) { nanoseconds = duration.nanoseconds }

  /// Creates the duration between two instants.
  public init(from start: MonotonicInstant, to end: MonotonicInstant) {
    nanoseconds = end.nanoseconds - start.nanoseconds
  }

  /// The same duration as the standard library's type.
  public var duration: Duration { .nanoseconds(nanoseconds) }

  /// Returns the instant that much later.
  public static func + (tick: MonotonicInstant, lapse: NanosecondDuration) -> MonotonicInstant {
    MonotonicInstant(nanoseconds: tick.nanoseconds + lapse.nanoseconds)
  }

  public static func < (left: NanosecondDuration, right: NanosecondDuration) -> Bool {
    left.nanoseconds < right.nanoseconds
  }

  public static func + (left: NanosecondDuration, right: NanosecondDuration) -> NanosecondDuration {
    NanosecondDuration(nanoseconds: left.nanoseconds + right.nanoseconds)
  }

  /// Returns the product, at most some 285 years.
  public static func * (lapse: NanosecondDuration, factor: Double) -> NanosecondDuration {
    NanosecondDuration(nanoseconds: Int64(min(Double(lapse.nanoseconds) * factor, 9e18)))
  }
}

/// A duration that is stored as nanoseconds, so that setting and comparing it costs no 128-bit arithmetic.
@propertyWrapper
public struct StoredNanoseconds: Sendable, Hashable {
  /// The duration as it is stored.
  public var projectedValue: NanosecondDuration

  /// Stores no time at all.
  public init() { projectedValue = .zero }

  /// Stores a duration, clamped to ± 292 years.
  public init(wrappedValue: Duration) { projectedValue = NanosecondDuration(wrappedValue) }

  /// The duration.
  public var wrappedValue: Duration {
    get { projectedValue.duration }
    set { projectedValue = NanosecondDuration(newValue) }
  }
}

extension Duration {
  /// The duration in nanoseconds, clamped to ± 292 years.
  public var nanoseconds: Int64 {
    // Most waits are zero, and splitting a duration costs two 128-bit divisions.
    if self == .zero { return 0 }
    let (seconds, attoseconds) = components
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    guard !overflow else { return seconds < 0 ? .min : .max }
    let (sum, carry) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
    return carry ? (seconds < 0 ? .min : .max) : sum
  }
}

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

  /// Returns the instant that much later; `distantFuture` where the sum is out of range.
  public static func + (tick: MonotonicInstant, lapse: NanosecondDuration) -> MonotonicInstant {
    let (sum, overflow) = tick.nanoseconds.addingReportingOverflow(lapse.nanoseconds)
    return MonotonicInstant(nanoseconds: overflow ? .max : sum)
  }

  public static func < (left: NanosecondDuration, right: NanosecondDuration) -> Bool {
    left.nanoseconds < right.nanoseconds
  }

  public static func + (left: NanosecondDuration, right: NanosecondDuration) -> NanosecondDuration {
    NanosecondDuration(nanoseconds: left.nanoseconds + right.nanoseconds)
  }

  public static func - (left: NanosecondDuration, right: NanosecondDuration) -> NanosecondDuration {
    NanosecondDuration(nanoseconds: left.nanoseconds - right.nanoseconds)
  }

  /// Returns the product, at most some 285 years.
  public static func * (lapse: NanosecondDuration, factor: Double) -> NanosecondDuration {
    NanosecondDuration(nanoseconds: Int64(min(Double(lapse.nanoseconds) * factor, 9e18)))
  }
}

extension NanosecondDuration {
  /// Appends the shortest text for this duration: `90s`, `2m`, `12.345ms`.
  ///
  /// Below a second the unit is milliseconds or microseconds. From a second up, it is the largest unit that needs no
  /// fraction, or else seconds.
  package func appendText(to output: inout [UInt8]) {
    let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    if seconds <= 0 {
      let isShort = rest > 0 && rest < 1_000_000
      Digits.appendDecimal(rest, over: isShort ? 1_000 : 1_000_000, to: &output)
      output += (isShort ? "us" : "ms").utf8
    } else if rest > 0 || seconds % 60 > 0 {
      Digits.appendDecimal(nanoseconds, over: 1_000_000_000, to: &output)
      output.append(UInt8(ascii: "s"))
    } else {
      let isWholeHour = seconds % 3_600 == 0
      Digits.appendDecimal(Int(seconds) / (isWholeHour ? 3_600 : 60), to: &output)
      output.append(UInt8(ascii: isWholeHour ? "h" : "m"))
    }
  }
}

extension NanosecondDuration {
  /// Appends the duration in milliseconds, with three decimals.
  package func appendMilliseconds(to output: inout [UInt8]) {
    let microseconds = Int(nanoseconds / 1_000)
    Digits.appendDecimal(microseconds / 1_000, to: &output)
    // The digit before the decimals becomes the point.
    let point = output.count
    Digits.appendDecimal(1_000 + microseconds % 1_000, to: &output)
    output[point] = Byte.dot
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

import Contract
import JSON

#if canImport(Glibc)
  import CEpoll
  import Glibc
#elseif canImport(Musl)
  import CEpoll
  import Musl
#else
  import Darwin
#endif

/// A reading of the monotonic clock in nanoseconds; only differences have a meaning.
struct MonotonicInstant: Sendable, Hashable, Comparable {
  let nanoseconds: Int64

  /// An instant that is never reached.
  static let distantFuture = MonotonicInstant(nanoseconds: .max)

  init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  static func < (left: MonotonicInstant, right: MonotonicInstant) -> Bool { left.nanoseconds < right.nanoseconds }

  static func + (tick: MonotonicInstant, duration: Duration) -> MonotonicInstant {
    let (sum, overflow) = tick.nanoseconds.addingReportingOverflow(duration.nanoseconds)
    return MonotonicInstant(nanoseconds: overflow ? .max : sum)
  }

  static func - (tick: MonotonicInstant, duration: Duration) -> MonotonicInstant {
    MonotonicInstant(nanoseconds: tick.nanoseconds - duration.nanoseconds)
  }

  static func - (left: MonotonicInstant, right: MonotonicInstant) -> Duration {
    .nanoseconds(left.nanoseconds - right.nanoseconds)
  }
}

/// A duration in nanoseconds on the monotonic clock. Adding it is cheap; a `Duration` would first have to be split into
/// components.
struct NanosecondDuration: Sendable, Hashable {
  let nanoseconds: Int64

  static func seconds(_ count: Int64) -> NanosecondDuration { NanosecondDuration(nanoseconds: count * 1_000_000_000) }
  static func milliseconds(_ count: Int64) -> NanosecondDuration { NanosecondDuration(nanoseconds: count * 1_000_000) }

  static func + (tick: MonotonicInstant, lapse: NanosecondDuration) -> MonotonicInstant {
    MonotonicInstant(nanoseconds: tick.nanoseconds + lapse.nanoseconds)
  }
}

/// The two clocks of the machine. All other code receives its time as a value, so that tests can supply it.
enum SystemClock {
  static func tick() -> MonotonicInstant {
    MonotonicInstant(nanoseconds: read(CLOCK_MONOTONIC))
  }

  static func instant() -> Instant {
    Instant(nanoseconds: read(CLOCK_REALTIME))
  }

  private static func read(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    _ = unsafe clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}

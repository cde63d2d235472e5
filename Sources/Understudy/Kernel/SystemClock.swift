package import Contract
import Primitives

#if canImport(Glibc)
  import CEpoll
  import Glibc
#elseif canImport(Musl)
  import CEpoll
  import Musl
#else
  import Darwin
#endif

/// The two clocks of the machine. All other code receives its time as a value, so that tests can supply it.
package enum SystemClock {
  static func tick() -> MonotonicInstant { MonotonicInstant(nanoseconds: read(CLOCK_MONOTONIC)) }

  package static func instant() -> Instant { Instant(nanoseconds: read(CLOCK_REALTIME)) }

  private static func read(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    _ = unsafe clock_gettime(clock, &time)
    return nanoseconds(seconds: Int64(time.tv_sec), and: Int64(time.tv_nsec))
  }

  /// Returns a reading in nanoseconds; the nearest one that there is for a time before 1678 or after 2262.
  static func nanoseconds(seconds: Int64, and rest: Int64) -> Int64 {
    let (whole, isTooLarge) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, isBeyond) = whole.addingReportingOverflow(rest)
    return isTooLarge || isBeyond ? (seconds < 0 ? .min : .max) : sum
  }
}

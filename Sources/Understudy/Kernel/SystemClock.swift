import Contract
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
enum SystemClock {
  static func tick() -> MonotonicInstant { MonotonicInstant(nanoseconds: read(CLOCK_MONOTONIC)) }

  static func instant() -> Instant { Instant(nanoseconds: read(CLOCK_REALTIME)) }

  private static func read(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    _ = unsafe clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}

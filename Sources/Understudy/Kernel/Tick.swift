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
struct Tick: Sendable, Hashable, Comparable {
  let nanoseconds: Int64

  /// An instant that is never reached.
  static let distantFuture = Tick(nanoseconds: .max)

  init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  static func < (left: Tick, right: Tick) -> Bool { left.nanoseconds < right.nanoseconds }

  static func + (tick: Tick, duration: Duration) -> Tick {
    let (sum, overflow) = tick.nanoseconds.addingReportingOverflow(duration.nanoseconds)
    return Tick(nanoseconds: overflow ? .max : sum)
  }

  static func - (tick: Tick, duration: Duration) -> Tick { Tick(nanoseconds: tick.nanoseconds - duration.nanoseconds) }

  static func - (left: Tick, right: Tick) -> Duration {
    .nanoseconds(left.nanoseconds - right.nanoseconds)
  }
}

/// A duration in nanoseconds on the monotonic clock. Adding it is cheap; a `Duration` would first have to be split into
/// components.
struct Lapse: Sendable, Hashable {
  let nanoseconds: Int64

  static func seconds(_ count: Int64) -> Lapse { Lapse(nanoseconds: count * 1_000_000_000) }
  static func milliseconds(_ count: Int64) -> Lapse { Lapse(nanoseconds: count * 1_000_000) }

  static func + (tick: Tick, lapse: Lapse) -> Tick { Tick(nanoseconds: tick.nanoseconds + lapse.nanoseconds) }
}

/// The two clocks of the machine. All other code receives its time as a value, so that tests can supply it.
enum SystemClock {
  static func tick() -> Tick {
    Tick(nanoseconds: read(CLOCK_MONOTONIC))
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

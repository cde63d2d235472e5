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

/// A reading of the monotonic clock in nanoseconds; only differences mean anything.
struct Tick: Sendable, Hashable, Comparable {
  let nanoseconds: Int64

  /// A moment that never comes.
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

/// A fixed time on the clock of `Tick`: adding it costs nothing, where a `Duration` would first have to be taken apart.
struct Lapse: Sendable, Hashable {
  let nanoseconds: Int64

  static func seconds(_ count: Int64) -> Lapse { Lapse(nanoseconds: count * 1_000_000_000) }
  static func milliseconds(_ count: Int64) -> Lapse { Lapse(nanoseconds: count * 1_000_000) }

  static func + (tick: Tick, lapse: Lapse) -> Tick { Tick(nanoseconds: tick.nanoseconds + lapse.nanoseconds) }
}

/// The two clocks of the machine. Everything else is handed its time, so that tests can hand it theirs.
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

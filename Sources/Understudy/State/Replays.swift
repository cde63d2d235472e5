import Contract
import Faults

/// Exchanges that ended without a byte on a connection that had served before: a transport may send them again by itself.
///
/// libcurl, and with it URLSession on Linux, does so without telling its caller (RFC 9112 section 9.3.1 allows it for
/// idempotent requests only). Such a repetition is no retry of the client, and must not be counted as one. It may come
/// on another kept connection and die there too, when all of them were killed; what dies on a fresh one is reported.
struct Replays: Sendable {
  struct Lost: Sendable {
    /// The entry of what the client sent, also where a repetition of it was lost.
    let id: Int
    let n: Int
    let plan: Plan
    let preference: Exchange.Preference?
    let fingerprint: UInt64
    /// How often it was repeated already.
    let replays: Int
    /// True if the network switch was offline: the request had no plan of the scenario's.
    var isStruck = false
    var end: Tick
  }

  /// A repetition comes at once; whatever comes later was somebody's decision.
  static let window = Duration.milliseconds(250)
  static let capacity = 256
  /// As often as libcurl repeats a request (CONN_MAX_RETRIES).
  static let most = 5

  /// Those that may still be repeated, the newest last.
  var lost: [Lost] = []

  init() {}

  mutating func note(_ exchange: Lost) {
    if lost.count == Self.capacity { lost.removeFirst() }
    lost.append(exchange)
  }

  /// The exchange that a request repeats, taken out: each is repeated once at most.
  ///
  /// - Parameter fingerprint: Worked out only where something was lost at all, which is seldom.
  mutating func take(_ fingerprint: @autoclosure () -> UInt64, at now: Tick) -> Lost? {
    guard !lost.isEmpty else { return nil }
    lost.removeAll { now - $0.end > Self.window }
    let fingerprint = fingerprint()
    guard let place = lost.lastIndex(where: { $0.fingerprint == fingerprint }) else { return nil }
    return lost.remove(at: place)
  }
}

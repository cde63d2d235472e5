import Contract
import Faults
import Primitives

/// Exchanges that ended without a byte on a connection that had served another request: a client's transport may send
/// them again by itself.
///
/// libcurl, and with it URLSession on Linux, does so without telling its caller (RFC 9112 section 9.3.1 allows it for
/// idempotent requests only). Such a repetition is not a retry by the client, and must not be counted as one. It may
/// arrive on another persistent connection and be lost there too, if a fault ends all of them; a loss on a fresh
/// connection is reported to the client.
struct TransportRetryDetector: Sendable {
  struct Lost: Sendable {
    /// The entry of the client's own request, even if its repetition was lost.
    let id: Int
    let n: Int
    let plan: Plan
    let preference: Exchange.Preference?
    let fingerprint: UInt64
    /// The number of repetitions so far.
    let replays: Int
    var end: MonotonicInstant
  }

  /// A transport repeats at once; a later repetition is the client's decision.
  static let window = Duration.milliseconds(250)
  static let capacity = 256
  /// The maximum number of repetitions of libcurl (CONN_MAX_RETRIES).
  static let maximum = 5

  /// The exchanges that may still be repeated, the newest last.
  var lost: [Lost] = []

  mutating func record(_ exchange: Lost) {
    if lost.count == Self.capacity { lost.removeFirst() }
    lost.append(exchange)
  }

  /// True if a request may be a repetition.
  var expectsAny: Bool { !lost.isEmpty }

  /// Removes and returns the exchange that a request repeats: each is repeated at most once.
  mutating func match(_ fingerprint: UInt64, at now: MonotonicInstant) -> Lost? {
    lost.removeAll { now - $0.end > Self.window }
    guard let index = lost.lastIndex(where: { $0.fingerprint == fingerprint }) else { return nil }
    return lost.remove(at: index)
  }
}

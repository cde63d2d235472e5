import Contract
import Faults
import Primitives

/// Exchanges that a client's transport may send again by itself.
///
/// Such a repetition is not a retry by the client, and must not be counted as one: it would use up a fault that the client
/// then never sees. It has the same bytes, and is sent at once.
struct TransportRetryDetector: Sendable {
  struct Lost: Sendable {
    let loss: Loss
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

  /// The way in which a response was lost, which decides which transports repeat the request.
  enum Loss: Sendable {
    /// The connection had served another request, and ended without a byte: the server may have closed it before the
    /// request came. libcurl, and with it URLSession on Linux, repeats any request (RFC 9112 section 9.3.1 allows it for
    /// idempotent requests only). The repetition may arrive on another persistent connection and be lost there too, if a
    /// fault ends all of them.
    case staleConnection
    /// A fault ended the connection, new or not, before the head of the response was whole, and the client has one of the
    /// transports that repeat the request even so.
    case brokenHead

    /// A later repetition is the client's decision.
    var window: Duration {
      switch self {
      case .staleConnection: .milliseconds(250)
      case .brokenHead: .milliseconds(3)
      }
    }

    /// The maximum number of repetitions: libcurl's CONN_MAX_RETRIES; the other transports repeat once.
    var maximum: Int {
      switch self {
      case .staleConnection: 5
      case .brokenHead: 1
      }
    }
  }

  /// The transports that repeat a request after a broken head, by the beginning of their `User-Agent`: Java's
  /// HttpURLConnection, which is OkHttp on Android, and OkHttp; Apache HttpClient and Ruby's Net::HTTP repeat only idempotent
  /// requests. A retry loop without a pause looks the same, so no other agent is excused.
  private static let transports: [(agent: String, repeatsEveryMethod: Bool)] = [
    ("Java/", true), ("Dalvik/", true), ("okhttp/", true), ("Apache-HttpClient/", false), ("Ruby", false),
    ("rest-client/", false),
  ]

  /// Returns true if the transport with a `User-Agent` repeats a request after a broken head.
  static func repeatsBrokenHead(agent: String, _ method: Method) -> Bool {
    let isIdempotent = method.isSafe || method == .put || method == .delete
    return transports.contains { agent.hasPrefix($0.agent) && ($0.repeatsEveryMethod || isIdempotent) }
  }

  static let capacity = 256

  /// The exchanges that may still be repeated, the newest last.
  var lost: [Lost] = []

  mutating func record(_ exchange: Lost) {
    guard exchange.replays < exchange.loss.maximum else { return }
    if lost.count == Self.capacity { lost.removeFirst() }
    lost.append(exchange)
  }

  /// True if a request may be a repetition.
  var expectsAny: Bool { !lost.isEmpty }

  /// Removes and returns the exchange that a request repeats: each is repeated at most once.
  mutating func match(_ fingerprint: UInt64, at now: MonotonicInstant) -> Lost? {
    lost.removeAll { now - $0.end > $0.loss.window }
    guard let index = lost.lastIndex(where: { $0.fingerprint == fingerprint }) else { return nil }
    return lost.remove(at: index)
  }
}

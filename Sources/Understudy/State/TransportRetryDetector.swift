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
    /// The same, and the transport repeats the request only because the connection had served another one, as often as the
    /// next connection had, too. The fault reaches its caller on the first new connection.
    case brokenHeadOnUsedConnection

    /// A later repetition is the client's decision.
    var window: Duration {
      switch self {
      case .staleConnection, .brokenHeadOnUsedConnection: .milliseconds(250)
      case .brokenHead: .milliseconds(3)
      }
    }

    /// The maximum number of repetitions: libcurl's CONN_MAX_RETRIES, the connections that browsers keep to a host, and one
    /// for the other transports.
    var maximum: Int {
      switch self {
      case .staleConnection: 5
      case .brokenHead: 1
      case .brokenHeadOnUsedConnection: 6
      }
    }
  }

  /// A transport that repeats a request after a broken head.
  private struct Transport: Sendable {
    /// The part of its `User-Agent` by which it is known.
    let agent: String
    /// False if it repeats only idempotent requests.
    var repeatsEveryMethod = false
    /// True if it does so only on a connection that had served another request.
    var needsUsedConnection = false
  }

  /// Java's HttpURLConnection, which is OkHttp on Android, and OkHttp; Apache HttpClient, Ruby's Net::HTTP and aiohttp repeat
  /// only idempotent requests; Chromium, with Edge, Electron and Android's WebView, repeats all of them. A retry loop without a
  /// pause looks the same, so no other agent is excused.
  private static let transports = [
    Transport(agent: "Java/", repeatsEveryMethod: true), Transport(agent: "Dalvik/", repeatsEveryMethod: true),
    Transport(agent: "okhttp/", repeatsEveryMethod: true), Transport(agent: "Apache-HttpClient/"),
    Transport(agent: "Ruby"), Transport(agent: "rest-client/"),
    Transport(agent: " aiohttp/", needsUsedConnection: true),
    Transport(agent: " Chrome/", repeatsEveryMethod: true, needsUsedConnection: true),
    Transport(agent: " HeadlessChrome/", repeatsEveryMethod: true, needsUsedConnection: true),
  ]

  /// Returns how a response is lost whose head was broken, if the transport with a `User-Agent` repeats its request.
  static func loss(ofBrokenHeadTo agent: String, _ method: Method, onUsedConnection isUsed: Bool) -> Loss? {
    let isIdempotent = method.isSafe || method == .put || method == .delete
    let transport = transports.first { transport in
      let isKnown = transport.agent.hasPrefix(" ") ? agent.contains(transport.agent) : agent.hasPrefix(transport.agent)
      return isKnown && (transport.repeatsEveryMethod || isIdempotent) && (isUsed || !transport.needsUsedConnection)
    }
    return transport.map { $0.needsUsedConnection ? .brokenHeadOnUsedConnection : .brokenHead }
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

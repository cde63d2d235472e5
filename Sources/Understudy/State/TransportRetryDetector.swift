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
    let preference: PreferenceField?
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
    /// The same, on a connection that had served another request. The transport repeats the request for as long as its next
    /// connection had served one, too, so the fault reaches its caller on the first new connection.
    case brokenHeadOnUsedConnection
    /// The connection, new or not, ended without a byte, and the request was a safe one of a transport that repeats these for
    /// as long as nothing comes.
    case withoutByte

    /// The maximum number of repetitions: libcurl's CONN_MAX_RETRIES, the connections that browsers keep to a host,
    /// the attempts of Firefox less the first (`network.http.request.max-attempts`), and one for the other transports.
    var maximum: Int {
      switch self {
      case .staleConnection: 5
      case .brokenHead: 1
      case .brokenHeadOnUsedConnection: 6
      case .withoutByte: 9
      }
    }
  }

  /// A later repetition is the client's decision.
  static let window = Duration.milliseconds(250)

  /// A request whose response was lost, as far as it decides whether a transport sends it again.
  struct LostRequest {
    /// Nil if it is none of the known ones.
    let method: Method?
    let hasKey: Bool
    /// The `User-Agent`; empty if there is none.
    let agent: String
    let isOnUsedConnection: Bool
    /// True if not one byte of the response was sent.
    let isWithoutByte: Bool
    /// True if a fault ended the connection before the head of the response was whole.
    let hasBrokenHead: Bool
  }

  /// The requests that a transport repeats by itself.
  private enum Repeated {
    case none
    /// Those with a safe method, or with an `Idempotency-Key`.
    case safeOrKeyed
    case idempotent
    case all

    func includes(_ request: LostRequest) -> Bool {
      switch self {
      case .none: false
      case .safeOrKeyed: request.method?.isSafe == true || request.hasKey
      case .idempotent: request.method?.isIdempotent == true
      case .all: true
      }
    }
  }

  /// A transport of which it is known what it repeats.
  private struct Transport: Sendable {
    /// The beginning of its `User-Agent`, or a part of it if that begins with a space.
    let agent: String
    let repeats: Repeated
    /// The loss after which it does so, besides that of a stale connection.
    var loss: Loss?

    func sends(_ request: LostRequest) -> Bool {
      agent.hasPrefix(" ") ? request.agent.contains(agent) : request.agent.hasPrefix(agent)
    }
  }

  /// Java's HttpURLConnection, which is OkHttp on Android, repeats any request, and so do OkHttp and Chromium (with Edge,
  /// Electron and Android's WebView) on a used connection; Firefox does so only without a byte, and reads on any connection.
  /// Apache HttpClient, Ruby's Net::HTTP and aiohttp repeat idempotent ones. Go's net/http repeats what is safe or has a key;
  /// the libraries of Python on urllib3 and httpx, and those of Node, repeat nothing below their own retries. Others may
  /// stand on libcurl.
  private static let transports = [
    Transport(agent: "Java/", repeats: .all, loss: .brokenHead),
    Transport(agent: "Dalvik/", repeats: .all, loss: .brokenHead),
    Transport(agent: "okhttp/", repeats: .all, loss: .brokenHeadOnUsedConnection),
    Transport(agent: " Chrome/", repeats: .all, loss: .brokenHeadOnUsedConnection),
    Transport(agent: " HeadlessChrome/", repeats: .all, loss: .brokenHeadOnUsedConnection),
    Transport(agent: " Firefox/", repeats: .all, loss: .withoutByte),
    Transport(agent: "Apache-HttpClient/", repeats: .idempotent, loss: .brokenHead),
    Transport(agent: "Ruby", repeats: .idempotent, loss: .brokenHead),
    Transport(agent: "rest-client/", repeats: .idempotent, loss: .brokenHead),
    Transport(agent: " aiohttp/", repeats: .idempotent, loss: .brokenHeadOnUsedConnection),
    Transport(agent: "Go-http-client/", repeats: .safeOrKeyed),
    Transport(agent: "python-", repeats: .none), Transport(agent: "axios/", repeats: .none),
  ]

  /// Returns how the response to a request was lost, if the transport that sent it may send it again for that.
  static func loss(of request: LostRequest) -> Loss? {
    let transport = transports.first { $0.sends(request) }
    if let transport, !transport.repeats.includes(request) { return nil }
    if request.isWithoutByte {
      if case .withoutByte? = transport?.loss, request.method?.isSafe == true { return .withoutByte }
      if request.isOnUsedConnection { return .staleConnection }
    }
    guard request.hasBrokenHead, let loss = transport?.loss else { return nil }
    return switch loss {
    case .staleConnection, .brokenHead: loss
    case .brokenHeadOnUsedConnection: request.isOnUsedConnection ? loss : nil
    case .withoutByte: nil
    }
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
    lost.removeAll { now - $0.end > Self.window }
    guard let index = lost.lastIndex(where: { $0.fingerprint == fingerprint }) else { return nil }
    return lost.remove(at: index)
  }
}

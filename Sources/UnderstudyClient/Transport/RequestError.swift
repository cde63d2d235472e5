import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The failure of a request, classified by what its caller must do next.
///
/// A cancelled request throws `CancellationError` instead, unless it is a write that may have been applied: then it
/// throws `.unknown(.cancelled)`. In the state of a model a cancellation is no failure.
public enum RequestError: Error, Sendable, Hashable {
  /// The server refused the request. Nothing was changed. The same request would be refused again, or, for 408, 429 and
  /// a read's 5xx, may succeed later.
  case rejected(Rejection)
  /// The request certainly never reached the server. It can be sent again when there is a network.
  case notSent(FailureReason)
  /// A write was begun and its outcome is unknown: it may have been applied. Read before you write again.
  case unknown(FailureReason)
  /// A read got no usable response. Nothing can have changed.
  case unanswered(FailureReason)

  /// The error as a caller of the library gets it: a cancellation is a `CancellationError`, unless a write may have
  /// been applied.
  var surfaced: any Error {
    switch self {
    case .notSent(.cancelled), .unanswered(.cancelled): CancellationError()
    default: self
    }
  }

  /// True if the server would refuse the same request again.
  var isFinalRefusal: Bool {
    if case .rejected(let reason) = self { reason.status < 500 && !reason.isTemporary } else { false }
  }

  /// True if the caller's own cancellation ended the request.
  public var isCancellation: Bool { obstacle == .cancelled }

  /// The reason of the failure; a rejection is one, too.
  public var obstacle: FailureReason {
    switch self {
    case .rejected(let reason): .serverFailure(reason)
    case .notSent(let reason), .unknown(let reason), .unanswered(let reason): reason
    }
  }
}

/// The reason for which a request has no usable response.
public enum FailureReason: Error, Sendable, Hashable {
  /// The device has no network.
  case offline
  /// The server could not be reached: unknown host, connection refused, no secure connection. The text is the system's.
  case unreachable(String)
  /// The timeout of the attempt or of the whole call has passed.
  case timedOut
  /// The connection broke, or the response was incomplete or not HTTP. The text is the system's.
  case connectionLost(String)
  /// A complete response that cannot be understood: incomplete JSON, a missing member.
  case unreadable(String)
  /// A web page in place of the response: usually the log-in page of a network.
  case webPage
  /// The server responded with an error. For a write with an unknown outcome it was 5xx, which does not show if it was
  /// applied.
  case serverFailure(Rejection)
  /// The service allows no request for this time: because of its limit per minute, or of its last response.
  case tooSoon(Duration)
  case cancelled
  /// The request cannot be expressed in HTTP, so it was not sent, and a retry would not help. The text is the reason.
  case unsendable(String)
}

/// A server's refusal: its status, and its problem details (RFC 9457), if it sent any.
public struct Rejection: Sendable, Hashable, Codable {
  /// The type of a problem that has none (RFC 9457).
  static let untyped = "about:blank"

  /// The status of the response; 0 if the request cannot be sent, so that there is none.
  public var status: Int
  /// The kind of problem, as a URI; `about:blank` if the server gave none.
  public var type: String
  /// One line for people; without problem details, the meaning of the status.
  public var title: String
  /// The text for developers; empty if the response has none.
  public var detail: String
  /// The positions of the errors in the request's body, as JSON pointers.
  public var pointers: [String]
  /// The time for which the server asked the client to wait, counted from its response.
  public var retryAfter: Duration?
  /// True if the body of the response was a JSON object, as the services send it; a proxy sends HTML or text.
  public var isJSON = false

  /// Creates a refusal; the default title is the meaning of the status.
  public init(
    status: Int, type: String = "about:blank", title: String? = nil, detail: String = "", pointers: [String] = [],
    retryAfter: Duration? = nil, isJSON: Bool = false
  ) {
    self.status = status
    self.type = type
    self.title = title ?? Self.meaning(of: status)
    self.detail = detail
    self.pointers = pointers
    self.retryAfter = retryAfter
    self.isJSON = isJSON
  }

  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      status: try values.decode(Int.self, forKey: .status), type: try values.decode(String.self, forKey: .type),
      title: try values.decode(String.self, forKey: .title), detail: try values.decode(String.self, forKey: .detail),
      pointers: try values.decode([String].self, forKey: .pointers),
      retryAfter: try values.decodeIfPresent(Duration.self, forKey: .retryAfter),
      // Older files do not have it.
      isJSON: try values.decodeIfPresent(Bool.self, forKey: .isJSON) ?? false)
  }

  /// Parses the problem of a response; plain text becomes the detail, HTML is ignored.
  init(_ response: TransportResponse, retryAfter: Duration?) {
    var problem = try? JSONDecoder().decode(ProblemBody.self, from: response.text)
    // The words of a fault that a test planned are for its developer, not for the user of the app.
    if problem?.type == "urn:understudy:problem:injected" { problem = ProblemBody(type: problem?.type) }
    let isText = response.header("Content-Type")?.hasPrefix("text/plain") == true
    self.init(
      status: response.status, type: problem?.type ?? Self.untyped,
      title: problem?.title,
      detail: problem?.detail ?? problem?.message ?? (isText ? String(decoding: response.body, as: UTF8.self) : ""),
      pointers: problem?.errors?.map(\.pointer) ?? [], retryAfter: retryAfter, isJSON: response.isJSONObject)
  }

  /// Returns the reason for which a request cannot be sent.
  static func unsendable(_ detail: String) -> Rejection {
    Rejection(status: 0, title: "The request cannot be sent", detail: detail)
  }

  /// Returns the meaning of a status, the title of a problem without a type (RFC 9457).
  private static func meaning(of status: Int) -> String {
    let text = HTTPURLResponse.localizedString(forStatusCode: status)
    return text.prefix(1).uppercased() + text.dropFirst()
  }

  private struct ProblemBody: Decodable {
    var type: String?
    var title: String?
    var detail: String?
    var message: String?
    var errors: [ValidationError]?

    struct ValidationError: Decodable {
      var pointer: String
    }
  }

  /// True if the service itself has judged the request: an earlier attempt with an unknown outcome was then not applied.
  ///
  /// A proxy, or a log-in that has expired, refuses a request without knowing about the earlier one. So does 412: the
  /// condition may fail because the earlier attempt was applied.
  var settlesEarlierAttempts: Bool { isJSON && [400, 404, 405, 409, 410, 422].contains(status) && !isTemporary }

  /// True if the service does not have the operation at all.
  var isNotOffered: Bool { status == 405 || status == 501 }

  /// True if a later attempt may succeed, and the request was not applied.
  var isTemporary: Bool { status == 408 || status == 429 || isKeyInFlight }

  /// True if the first request with the same idempotency key is still in progress.
  var isKeyInFlight: Bool { status == 409 && (retryAfter != nil || type.contains("in-flight")) }
}

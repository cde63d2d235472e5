import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// How a request failed, told apart by what its caller must do next.
public enum RequestError: Error, Sendable, Hashable {
  /// The server answered no. Nothing was changed; sending the same again would be answered the same way,
  /// or, for 408, 429 and a read's 5xx, only later.
  case rejected(Rejection)
  /// The request surely never reached the server. It can be sent again when there is a network.
  case notSent(Obstacle)
  /// A write was begun and its outcome is not known: it may have been applied. Read before writing again.
  case unknown(Obstacle)
  /// A read brought no usable reply. Nothing can have changed.
  case unanswered(Obstacle)

  /// Whether the caller's own cancellation ended the request.
  public var isCancellation: Bool { obstacle == .cancelled }

  /// What stood in the way; a rejection is one too.
  public var obstacle: Obstacle {
    switch self {
    case .rejected(let reason): .serverFailure(reason)
    case .notSent(let obstacle), .unknown(let obstacle), .unanswered(let obstacle): obstacle
    }
  }
}

/// What stood between a request and its reply.
public enum Obstacle: Error, Sendable, Hashable {
  /// The device has no network.
  case offline
  /// The server could not be reached: no such host, refused, no secure connection. The text is the system's.
  case unreachable(String)
  /// The time for the try, or for the whole call, was over.
  case timedOut
  /// The connection broke, or what came was cut or no HTTP. The text is the system's.
  case connectionLost(String)
  /// A whole reply that cannot be understood: a log-in page, cut JSON, a missing field.
  case unreadable(String)
  /// The server answered no. For a write of unknown outcome it was 5xx, which does not tell whether it was done.
  case serverFailure(Rejection)
  /// The service asked to be left alone for this long: between any two questions, or when it last answered.
  case tooSoon(Duration)
  case cancelled
  /// No HTTP request can say what was asked for, so none was sent: trying again would not help. The text says why.
  case unsendable(String)
}

/// A server's no: its status, and its problem details (RFC 9457) where it sent some.
public struct Rejection: Sendable, Hashable, Codable {
  public var status: Int
  /// What kind of problem it is, as a URI; `about:blank` where the server did not say.
  public var type: String
  /// One line for people; where the server sent no problem details, what its status means.
  public var title: String
  public var detail: String
  /// The places in the request's body that were wrong, as JSON pointers.
  public var pointers: [String]
  /// How long the server asked to be left alone, from the moment of its reply.
  public var retryAfter: Duration?

  /// Without a title it has what the status is called.
  public init(
    status: Int, type: String = "about:blank", title: String? = nil, detail: String = "", pointers: [String] = [],
    retryAfter: Duration? = nil
  ) {
    self.status = status
    self.type = type
    self.title = title ?? Self.meaning(of: status)
    self.detail = detail
    self.pointers = pointers
    self.retryAfter = retryAfter
  }

  /// Reads what a reply says of its problem; plain text becomes the detail, and HTML nothing.
  init(_ response: TransportResponse, retryAfter: Duration?) {
    let problem = try? JSONDecoder().decode(ProblemBody.self, from: response.body)
    let isText = response.header("Content-Type")?.hasPrefix("text/plain") == true
    self.init(
      status: response.status, type: problem?.type ?? "about:blank",
      title: problem?.title,
      detail: problem?.detail ?? problem?.message ?? (isText ? String(decoding: response.body, as: UTF8.self) : ""),
      pointers: problem?.errors?.map(\.pointer) ?? [], retryAfter: retryAfter)
  }

  /// As RFC 9457 has it where there is no type: the title is what the status is called.
  private static func meaning(of status: Int) -> String {
    let text = HTTPURLResponse.localizedString(forStatusCode: status)
    return text.prefix(1).uppercased() + text.dropFirst()
  }

  private struct ProblemBody: Decodable {
    var type: String?
    var title: String?
    var detail: String?
    var message: String?
    var errors: [Violation]?

    struct Violation: Decodable {
      var pointer: String
    }
  }

  /// Whether asking again later may be answered otherwise, and the request was not carried out.
  var isTemporary: Bool { status == 408 || status == 429 || isKeyInFlight }

  /// Whether a keyed request is told that the first one with its key is still being worked on.
  var isKeyInFlight: Bool { status == 409 && (retryAfter != nil || type.contains("in-flight")) }
}

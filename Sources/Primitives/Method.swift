/// A request method (RFC 9110 section 9, RFC 5789), as written in a request line; its case matters.
public enum Method: String, Sendable, CaseIterable, Hashable {
  case get = "GET"
  case head = "HEAD"
  case post = "POST"
  case put = "PUT"
  case patch = "PATCH"
  case delete = "DELETE"
  case options = "OPTIONS"
  case connect = "CONNECT"
  case trace = "TRACE"

  /// True if a request with this method asks for no change of state (RFC 9110 section 9.2.1).
  public var isSafe: Bool {
    switch self {
    case .get, .head, .options, .trace: true
    case .post, .put, .patch, .delete, .connect: false
    }
  }

  /// True if several equal requests with this method have the effect of one (RFC 9110 section 9.2.2).
  package var isIdempotent: Bool { isSafe || self == .put || self == .delete }
}

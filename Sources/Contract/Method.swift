/// A request method that some operation here answers (RFC 9110 section 9).
package enum Method: String, Sendable, CaseIterable, Hashable {
  case get = "GET"
  case head = "HEAD"
  case post = "POST"
  case put = "PUT"
  case patch = "PATCH"
  case delete = "DELETE"
  case options = "OPTIONS"

  /// A method whose request asks for no change of state (RFC 9110 section 9.2.1).
  package var isSafe: Bool {
    switch self {
    case .get, .head, .options: true
    case .post, .put, .patch, .delete: false
    }
  }
}

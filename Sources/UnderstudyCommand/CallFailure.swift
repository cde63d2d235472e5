import HTTP1
import Understudy

/// The reason for which a server gave no usable response, as a sentence.
struct CallFailure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }

  /// - Parameter authority: The host and the port of the server.
  init(_ failure: ServerCall.Failure, at authority: String) {
    description =
      switch failure {
      case .unknownHost, .refused: "no server accepts connections at \(authority)"
      case .reset, .late, .malformed(.empty, _): "the server at \(authority) did not respond"
      case .malformed: "the program at \(authority) gave no complete response of a web server"
      }
  }
}

/// An error in a response's bytes, or their end before the response was complete.
package enum ResponseError: Error, Sendable, Equatable {
  /// The first line is no status line (RFC 9112 4).
  case statusLine
  /// A rule about fields, lengths and chunks is broken that requests and responses share.
  case syntax(Rejection)
  /// More interim responses than any server needs.
  case endlessInterim
  /// The content is longer than the reader accepts.
  case contentTooLarge
  /// The connection ended before the first byte.
  case empty
  /// The connection ended before the response was complete (RFC 9112 8).
  case cut

  /// The error as a sentence.
  package var reason: String {
    switch self {
    case .statusLine: "The response does not begin with a status line of HTTP/1.0 or HTTP/1.1."
    case .syntax(let rejection): rejection.reason
    case .endlessInterim: "More than \(ResponseParser.maximumInterims) interim responses precede the final one."
    case .contentTooLarge: "The content is longer than the maximum."
    case .empty: "The connection ended without a response."
    case .cut: "The connection ended before the response was complete."
    }
  }
}

package import Contract

/// The input of a handler: an operation with its arguments, independent of the HTTP request.
///
/// Its members never change: an initializer of variable members of this size would copy the whole value.
package struct Call: Sendable {
  /// The operation's index in its API's `operations`.
  package let operation: Int
  /// The values of the path's variables in order, percent-decoded.
  package let arguments: [String]
  package let query: Query
  /// The decoded bytes of the body; empty if there is none.
  package let body: ArraySlice<UInt8>
  /// The `Content-Type` field as sent.
  package let contentType: ArraySlice<UInt8>?
  /// The URL of the API's `/` for this client, without a trailing slash: `http://localhost:8080/@booking`.
  package let base: String
  /// The sandbox's time.
  package let now: Instant

  package init(
    operation: Int, arguments: [String] = [], query: Query = Query(), body: ArraySlice<UInt8> = [],
    contentType: ArraySlice<UInt8>? = nil, base: String = "http://localhost:8080", now: Instant = Instant(seconds: 0)
  ) {
    self.operation = operation
    self.arguments = arguments
    self.query = query
    self.body = body
    self.contentType = contentType
    self.base = base
    self.now = now
  }

  /// The maximum number of bytes of a body that is parsed on the loop; parsing a longer one would delay other
  /// connections.
  package static let maximumShortBody = 16 << 10

  /// True if the body is too long to be parsed on the loop.
  package var hasLongBody: Bool { body.count > Self.maximumShortBody }
}

/// The sizes above which the parser rejects a request (RFC 9112 2.3, 3, 5.4; RFC 9110 4.1).
package struct Limits: Sendable, Equatable {
  /// Bytes of the request line with its line end; 414 above it. nginx's `large_client_header_buffers` has 8k as well,
  /// and RFC 9112 3 recommends at least 8000.
  package var requestLine: Int
  /// Bytes of all field lines with the empty line that ends them; 431 above it. nginx allows four buffers of 8k.
  package var head: Int
  /// Bytes of the values of all fields with lists, `FieldName.hasList`; 431 above it. A list costs more time for each byte
  /// than other values do.
  package var lists: Int
  /// The number of field lines; 431 above it. Apache's `LimitRequestFields` is 100, which some chains of proxies reach.
  package var fields: Int
  /// Bytes of the method; 501 above it, because no known method is longer (RFC 9112 3).
  package var method: Int
  /// Bytes of the decoded content; 413 above it. nginx's `client_max_body_size` is 1m.
  package var body: Int
  /// Bytes of one chunk line with its extensions; 400 above it. Go's `net/http` has 4096.
  package var chunkLine: Int
  /// Bytes of chunk framing in all, not counting 16 bytes and twice the data of each chunk; 400 above it. Go's
  /// `net/http` has had this bound and number since CVE-2023-39326, where tiny chunks carried long extensions.
  package var chunkOverhead: Int
  /// Bytes of the trailer section with its empty line; 431 above it.
  package var trailers: Int
  /// The number of field lines in the trailer section; 431 above it.
  package var trailerFields: Int

  /// Bytes of the decoded content that are awaited before a request begins; the rest comes in parts. Nil awaits all of it.
  package var awaitedContent: Int?
  /// True if a `%` in a target needs no hexadecimal digits after it, and bytes that are no ASCII may be in it as they are: a
  /// proxy leaves that to the server behind it.
  package var acceptsUnencodedTargets = false

  package init(
    requestLine: Int = 8 << 10, head: Int = 32 << 10, lists: Int = 4 << 10, fields: Int = 128, method: Int = 64,
    body: Int = 1 << 20, chunkLine: Int = 4 << 10, chunkOverhead: Int = 16 << 10, trailers: Int = 8 << 10,
    trailerFields: Int = 32
  ) {
    self.requestLine = requestLine
    self.head = head
    self.lists = lists
    self.fields = fields
    self.method = method
    self.body = body
    self.chunkLine = chunkLine
    self.chunkOverhead = chunkOverhead
    self.trailers = trailers
    self.trailerFields = trailerFields
  }

  /// The default limits of a server.
  package static let standard = Limits()
}

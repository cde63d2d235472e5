/// How much of a request the parser takes before it gives up (RFC 9112 2.3, 3, 5.4; RFC 9110 4.1).
package struct Limits: Sendable, Equatable {
  /// The request line with its line end; beyond it 414. nginx's `large_client_header_buffers` has 8k as well,
  /// and RFC 9112 3 recommends 8000 at least.
  package var requestLine: Int
  /// All field lines with the empty line that ends them; beyond it 431. nginx allows four buffers of 8k.
  package var head: Int
  /// Field lines; one more is 431. Apache's `LimitRequestFields` is 100, which some proxies' chains do reach.
  package var fields: Int
  /// The method; a longer one cannot be known, so 501 (RFC 9112 3).
  package var method: Int
  /// The content after decoding; beyond it 413. nginx's `client_max_body_size` is 1m.
  package var body: Int
  /// One chunk line with its extensions; beyond it 400. Go's `net/http` has 4096.
  package var chunkLine: Int
  /// What chunk lines may cost in all beyond 16 bytes and twice the data of each; beyond it 400. Go's `net/http`
  /// has this bound and number since CVE-2023-39326, where tiny chunks carried long extensions.
  package var chunkOverhead: Int
  /// The trailer section with its empty line; beyond it 431.
  package var trailers: Int
  /// Field lines in the trailer section; one more is 431.
  package var trailerFields: Int

  package init(
    requestLine: Int = 8 << 10, head: Int = 32 << 10, fields: Int = 128, method: Int = 64, body: Int = 1 << 20,
    chunkLine: Int = 4 << 10, chunkOverhead: Int = 16 << 10, trailers: Int = 8 << 10, trailerFields: Int = 32
  ) {
    self.requestLine = requestLine
    self.head = head
    self.fields = fields
    self.method = method
    self.body = body
    self.chunkLine = chunkLine
    self.chunkOverhead = chunkOverhead
    self.trailers = trailers
    self.trailerFields = trailerFields
  }

  /// The limits of a server that was told nothing else.
  package static let standard = Limits()
}

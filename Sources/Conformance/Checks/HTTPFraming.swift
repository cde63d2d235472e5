import HTTP1

extension Check {
  /// Malformed bytes, or a request that a server must reject; each has its own check.
  private struct Bad: Sendable {
    let id: String
    let what: String
    let source: String
    let statuses: [Int]
    let bytes: @Sendable (Session) -> String

    init(
      _ id: String, _ what: String, _ source: String, _ statuses: Int...,
      bytes: @escaping @Sendable (Session) -> String
    ) {
      self.id = id
      self.what = what
      self.source = source
      self.statuses = statuses
      self.bytes = bytes
    }
  }

  /// Each gets one response, and then the connection is closed, because the end of the request is unknown.
  static let httpFraming =
    (framing + hosts + limits).map { bad in
      http(
        bad.id, "\(bad.what): answered \(bad.statuses.map(String.init).joined(separator: " or ")), then FIN.",
        from: bad.source
      ) {
        session throws(EarlyEnd) in
        let connection = try session.connect()
        // A valid request follows; a server that continued reading would answer it.
        connection.sendWhatIsTaken(
          Array((bad.bytes(session) + session.request("GET", session.target.samples.path)).utf8))
        let answer = try connection.answer(to: bad.what)
        let statuses = bad.statuses.map(String.init).joined(separator: " or ")
        try require(bad.statuses.contains(answer.status), statuses, found: answer.evidence)
        try require(!answer.keepsConnection, "Connection: close", found: answer.describe("Connection"))
        let end = connection.end()
        try require(end == .finished(""), "FIN, and nothing before it", found: "\(end)")
      }
    } + [goodThenBad, cutShort]

  private static func fields(_ fields: String...) -> @Sendable (Session) -> String {
    { $0.request("GET", $0.target.samples.path, fields) }
  }

  private static func lines(_ lines: String...) -> String { lines.map { $0 + "\r\n" }.joined() + "\r\n" }

  private static let framing = [
    Bad("no-request", "Input that is not HTTP", "RFC 9112 section 2.2", 400) { _ in "hello\r\n\r\n" },
    Bad("request-line", "A target with a blank in it", "RFC 9112 section 3.2", 400) { $0.request("GET", "/a b") },
    Bad(
      "two-lengths", "Two different lengths", "RFC 9112 section 6.3", 400,
      bytes: fields("Content-Length: 1", "Content-Length: 2")),
    Bad(
      "bad-length", "A length that is not a number", "RFC 9112 section 6.3", 400, bytes: fields("Content-Length: +1")),
    Bad(
      "length-and-chunked", "A length together with chunks", "RFC 9112 section 6.1", 400,
      bytes: fields("Content-Length: 5", "Transfer-Encoding: chunked")),
    Bad(
      "unknown-coding", "An unknown transfer coding", "RFC 9112 section 6.1", 400, 501,
      bytes: fields("Transfer-Encoding: tea")),
    Bad("bad-chunk-size", "A chunk size that is not a number", "RFC 9112 section 7.1", 400) {
      $0.request("GET", $0.target.samples.path, ["Transfer-Encoding: chunked"]) + "xyz\r\n"
    },
    Bad("bad-chunk-end", "A chunk that is longer than its size", "RFC 9112 section 7.1", 400) {
      $0.request("GET", $0.target.samples.path, ["Transfer-Encoding: chunked"]) + "2\r\n{}}}0\r\n\r\n"
    },
    Bad("blank-before-colon", "A blank before the colon of a field", "RFC 9112 section 5.1", 400) {
      $0.request("GET", $0.target.samples.path, ["X-Field : 1"])
    },
    Bad("folded-field", "A field that continues on the next line", "RFC 9112 section 5.2", 400) {
      $0.request("GET", $0.target.samples.path, ["X-Field: 1\r\n 2"])
    },
    Bad("control-in-field", "A NUL in a field", "RFC 9110 section 5.5", 400) {
      $0.request("GET", $0.target.samples.path, ["X-Field: a\0b"])
    },
  ]

  private static let hosts = [
    Bad("no-host", "HTTP/1.1 without Host", "RFC 9112 section 3.2", 400) { session in
      lines("GET \(session.target.samples.path) HTTP/1.1", "X-Field: 1")
    },
    Bad("two-hosts", "Two Host fields", "RFC 9112 section 3.2", 400) {
      $0.request("GET", $0.target.samples.path, ["Host: \($0.target.base.authority)"])
    },
    Bad("bad-host", "An invalid Host", "RFC 9112 section 3.2", 400) { session in
      lines("GET \(session.target.samples.path) HTTP/1.1", "Host: a b/c")
    },
  ]

  private static let limits = [
    Bad("long-target", "A target of 2 MB", "RFC 9112 section 3", 414, 400, 431) {
      $0.request("GET", "/" + String(repeating: "a", count: 2_000_000))
    },
    Bad("large-field", "A field of 2 MB", "RFC 6585 section 5", 431, 400) {
      $0.request("GET", $0.target.samples.path, ["X-Field: " + String(repeating: "a", count: 2_000_000)])
    },
    Bad(
      "large-body", "A body of 100 GB", "RFC 9110 section 15.5.14", 413, bytes: fields("Content-Length: 99999999999")),
    Bad("other-version", "HTTP/2.0 in a request line", "RFC 9110 section 15.6.6", 505, 400) {
      $0.request("GET", $0.target.samples.path, version: "2.0")
    },
  ]

  private static let goodThenBad = http(
    "good-then-bad", "A valid request before invalid bytes is answered first.", from: "RFC 9112 section 9.3.2"
  ) { session throws(EarlyEnd) in
    let connection = try session.connect()
    let path = session.target.samples.path
    try connection.send(session.request("GET", path) + "nonsense\r\n\r\n")
    try connection.answer(to: "GET \(path)").expect(200)
    try connection.answer(to: "bad bytes").expect(400)
    let end = connection.end()
    try require(end == .finished(""), "FIN, and nothing before it", found: "\(end)")
  }

  private static let cutShort = http(
    "cut-short", "A request that FIN cuts short is not applied.", from: "RFC 9112 section 8"
  ) { session throws(EarlyEnd) in
    let connection = try session.connect()
    let path = session.target.samples.path
    try connection.send(session.request("GET", path, ["Content-Length: 9"]) + "{")
    connection.finishWriting()
    guard case .finished(let text) = connection.end() else {
      throw .failed(expected: "400, or FIN without a response", found: "silence or RST")
    }
    try require(
      text.isEmpty || text.hasPrefix("HTTP/1.1 400"), "400, or FIN without a response", found: String(text.prefix(80)))
  }
}

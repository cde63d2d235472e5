@testable import HTTP1

extension Vector {
  private static let small = Limits(body: 10)
  private static let hello = Outcome.yes("POST", body: "hello")

  private static func coded(_ value: String) -> String {
    post("Transfer-Encoding: " + value, body: "5\r\nhello\r\n0\r\n\r\n")
  }

  static let framing: [Vector] = [
    Vector("without a length there is no content (RFC 9112 6.3)", post(), .yes("POST")),
    Vector("Content-Length delimits the content (RFC 9112 6.2)", post("Content-Length: 5", body: "hello"), hello),
    Vector("a length may be 0", post("Content-Length: 0"), .yes("POST")),
    Vector("a length may have leading zeros (RFC 9110 8.6)", post("Content-Length: 0005", body: "hello"), hello),
    Vector(
      "content may hold anything", post("Content-Length: 5", body: "\r\n\r\n\0"), .yes("POST", body: "\r\n\r\n\0")),
    Vector(
      "a GET may have content (RFC 9110 9.3.1)", get("Content-Length: 5") + "hello", .yes(body: "hello")),
    Vector("missing content is cut short (RFC 9112 8)", post("Content-Length: 5", body: "hell"), .no(.truncated)),
    Vector("an empty length is refused (RFC 9112 6.3)", post("Content-Length:"), .no(.lengthSyntax)),
    Vector("a sign is refused (RFC 9112 6.3)", post("Content-Length: +5", body: "hello"), .no(.lengthSyntax)),
    Vector("a negative length is refused (RFC 9112 6.3)", post("Content-Length: -5"), .no(.lengthSyntax)),
    Vector("a hexadecimal length is refused (RFC 9112 6.3)", post("Content-Length: 0x5"), .no(.lengthSyntax)),
    Vector("a fraction is refused (RFC 9112 6.3)", post("Content-Length: 5.0"), .no(.lengthSyntax)),
    Vector("an exponent is refused (RFC 9112 6.3)", post("Content-Length: 1e1"), .no(.lengthSyntax)),
    Vector("a length has no parameters (RFC 9112 6.3)", post("Content-Length: 5;a"), .no(.lengthSyntax)),
    Vector("a quoted length is refused (RFC 9112 6.3)", post("Content-Length: \"5\""), .no(.lengthSyntax)),
    Vector("two numbers are refused (RFC 9112 6.3)", post("Content-Length: 5 5"), .no(.lengthSyntax)),
    Vector("a listed length is refused (RFC 9112 6.3)", post("Content-Length: 5, 5"), .no(.lengthSyntax)),
    Vector(
      "a repeated length is refused, though equal (RFC 9112 6.3)", post("Content-Length: 5", "Content-Length: 5"),
      .no(.lengthRepeated)),
    Vector(
      "differing lengths are refused (RFC 9112 6.3)", post("Content-Length: 5", "content-length: 6"),
      .no(.lengthRepeated)),
    Vector("NBSP is not white space in a length", post("Content-Length: \u{A0}5"), .no(.lengthSyntax)),
    Vector(
      "a length at the limit is taken", post("Content-Length: 10", body: "0123456789"),
      .yes("POST", body: "0123456789"), limits: small),
    Vector(
      "a length above the limit is refused at once", post("Content-Length: 11"), .no(.bodyTooLarge), limits: small),
    Vector(
      "a length that overflows is too large (RFC 9110 8.6)", post("Content-Length: 99999999999999999999999999"),
      .no(.bodyTooLarge)),
    Vector(
      "a length cannot wrap around (RFC 9110 8.6)", post("Content-Length: 18446744073709551621"), .no(.bodyTooLarge)),
    Vector(
      "an overflowing length must still be a number", post("Content-Length: 99999999999999999999999x"),
      .no(.lengthSyntax)),
    Vector(
      "length and coding together are refused (RFC 9112 6.3)",
      post("Content-Length: 5", "Transfer-Encoding: chunked", body: "0\r\n\r\n"), .no(.lengthWithEncoding)),
    Vector(
      "coding and length together are refused (RFC 9112 6.3)",
      post("Transfer-Encoding: chunked", "Content-Length: 5", body: "0\r\n\r\n"), .no(.lengthWithEncoding)),

    Vector("chunked delimits the content (RFC 9112 7.1)", coded("chunked"), hello),
    Vector("a coding's name is case-insensitive (RFC 9112 7)", coded("ChUnKeD"), hello),
    Vector("a GET may come in chunks", get("Transfer-Encoding: chunked") + "1\r\nx\r\n0\r\n\r\n", .yes(body: "x")),
    Vector("an unknown coding is not implemented (RFC 9112 6.1)", coded("gzip, chunked"), .no(.encodingUnknown)),
    Vector("chunked is the last coding (RFC 9112 6.3)", coded("chunked, gzip"), .no(.encodingNotChunkedLast)),
    Vector("chunked is needed (RFC 9112 6.3)", coded("gzip"), .no(.encodingNotChunkedLast)),
    Vector("chunked is applied once (RFC 9112 6.1)", coded("chunked, chunked"), .no(.encodingNotChunkedLast)),
    Vector("identity is not a transfer coding (RFC 9112 7)", coded("identity"), .no(.encodingSyntax)),
    Vector(
      "identity beside chunked is not a transfer coding (RFC 9112 7)", coded("identity, chunked"), .no(.encodingSyntax)),
    Vector("an empty coding is refused (RFC 9112 6.1)", coded(""), .no(.encodingSyntax)),
    Vector("an empty element of Transfer-Encoding is refused", coded("chunked,"), .no(.encodingSyntax)),
    Vector("a quoted coding is refused (RFC 9112 6.1)", coded("\"chunked\""), .no(.encodingSyntax)),
    Vector("chunked has no parameters (RFC 9112 7.1)", coded("chunked;q=1"), .no(.encodingSyntax)),
    Vector("another coding may have parameters (RFC 9112 7)", coded("gzip ; q=1, chunked"), .no(.encodingUnknown)),
    Vector("a longer name is another coding", coded("xchunked"), .no(.encodingNotChunkedLast)),
    Vector("VT before chunked is refused", coded("\u{B}chunked"), .no(.fieldValueByte)),
    Vector("NBSP before chunked is refused", coded("\u{A0}chunked"), .no(.encodingSyntax)),
    Vector(
      "several lines are one list (RFC 9110 5.3)",
      post("Transfer-Encoding: gzip", "Transfer-Encoding: chunked", body: "0\r\n\r\n"), .no(.encodingUnknown)),
    Vector(
      "chunked on a line before the last is refused (RFC 9112 6.3)",
      post("Transfer-Encoding: chunked", "Transfer-Encoding: gzip", body: "0\r\n\r\n"),
      .no(.encodingNotChunkedLast)),
    Vector(
      "chunked on two lines is refused (RFC 9112 6.1)",
      post("Transfer-Encoding: chunked", "Transfer-Encoding: chunked", body: "0\r\n\r\n"),
      .no(.encodingNotChunkedLast)),
    Vector(
      "an empty Transfer-Encoding line is refused",
      post("Transfer-Encoding:", "Transfer-Encoding: chunked", body: "0\r\n\r\n"),
      .no(.encodingSyntax)),
    Vector(
      "1.0 has no Transfer-Encoding (RFC 9112 6.1)",
      "POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", .no(.encodingIn10)),
  ]

  static let connections: [Vector] = [
    Vector("close ends the connection (RFC 9112 9.6)", get("Connection: close"), .yes(persists: false)),
    Vector("an option is case-insensitive (RFC 9110 7.6.1)", get("Connection: CLOSE"), .yes(persists: false)),
    Vector("options are a list (RFC 9110 7.6.1)", get("Connection: te , close,x"), .yes(persists: false)),
    Vector("an option is a whole token (RFC 9110 7.6.1)", get("Connection: closed, x-close"), .yes()),
    Vector("`close` with NBSP is another option (RFC 9110 5.6.3)", get("Connection: close\u{A0}"), .yes()),
    Vector("`close` in another field has no effect", get("Proxy-Connection: close", "Keep-Alive: close"), .yes()),
    Vector(
      "empty options beside `close` are ignored (RFC 9110 5.6.1)", get("Connection: , ,\tclose ,"),
      .yes(persists: false)),
    Vector(
      "options are read from all lines (RFC 9110 5.3)", get("Connection: te", "Connection: close"),
      .yes(persists: false)),
    Vector(
      "close takes precedence over keep-alive (RFC 9112 9.3)", get("Connection: keep-alive, close"),
      .yes(persists: false)),
    Vector(
      "close on another line takes precedence (RFC 9112 9.3)", get("Connection: close", "Connection: keep-alive"),
      .yes(persists: false)),
    Vector("1.1 persists by default (RFC 9112 9.3)", get("Connection: keep-alive"), .yes()),
    Vector("empty options are ignored (RFC 9110 5.6.1)", get("Connection: ,, ,"), .yes()),
    Vector("1.0 closes by default (RFC 9112 9.3)", "GET / HTTP/1.0\r\nHost: a\r\n\r\n", .yes(persists: false)),
    Vector(
      "1.0 persists with keep-alive (RFC 9112 9.3)", "GET / HTTP/1.0\r\nHost: a\r\nConnection: Keep-Alive\r\n\r\n",
      .yes()),
    Vector(
      "1.0 closes with keep-alive and close", "GET / HTTP/1.0\r\nHost: a\r\nConnection: keep-alive, close\r\n\r\n",
      .yes(persists: false)),
    Vector(
      "nothing is read after the last request (RFC 9112 9.6)", get("Connection: close") + get(), .yes(persists: false)),
    Vector("Upgrade is ignored (RFC 9110 7.8)", get("Connection: upgrade", "Upgrade: h2c"), .yes()),
    Vector(
      "an expectation does not change the content (RFC 9110 10.1.1)",
      post("Expect: 100-continue", "Content-Length: 5", body: "hello"), hello),
    Vector("100-continue is case-insensitive (RFC 9110 10.1.1)", post("Expect: 100-Continue"), .yes("POST")),
    Vector("another expectation fails (RFC 9110 10.1.1)", post("Expect: 200-ok"), .no(.expectationUnknown)),
    Vector("an empty expectation is ignored (RFC 9110 5.6.1)", post("Expect:"), .yes("POST")),
    Vector("a further expectation fails", post("Expect: 100-continue, x"), .no(.expectationUnknown)),
    Vector(
      "1.0 has no expectations (RFC 9110 10.1.1)", "GET / HTTP/1.0\r\nHost: a\r\nExpect: x\r\n\r\n",
      .yes(persists: false)),
    Vector(
      "too much content is refused without 100 (RFC 9110 10.1.1)",
      post("Expect: 100-continue", "Content-Length: 11"), .no(.bodyTooLarge), limits: small),
  ]
}

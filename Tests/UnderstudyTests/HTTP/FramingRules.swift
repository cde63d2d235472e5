extension Rule {
  private static let body = "{\"name\":null}"
  private static let chunk = "d\r\n{\"name\":null}\r\n"

  private static func length(_ value: String, _ sentence: String, _ status: Int = 400) -> Rule {
    Rule(
      "9112 6.3", .must, sentence,
      lines("POST /book HTTP/1.1", "Host: localhost", "Content-Length:" + value, body: body), [status], .closed)
  }

  private static func coding(_ value: String, _ sentence: String, _ status: Int = 400) -> Rule {
    Rule(
      "9112 6.1", status == 501 ? .should : .must, sentence,
      lines("POST /book HTTP/1.1", "Host: localhost", "Transfer-Encoding:" + value, body: "0\r\n\r\n"), [status],
      .closed)
  }

  private static func bad(_ chunks: String, _ sentence: String, _ status: Int = 400) -> Rule {
    Rule("9112 7.1", .must, sentence, self.chunks(chunks), [status], .closed)
  }

  static let framing = [
    Rule("9112 6", .must, "a length frames a body", wire("POST", "/book", body: body), [200], .open),
    Rule(
      "9112 6", .must, "a body that no operation expects is read", wire("GET", "/users/1", body: wire()),
      [200],
      .open),
    Rule(
      "9112 6.1", .may, "a length beside a coding is 400",
      wire("POST", "/book", "Transfer-Encoding: chunked", body: "0\r\n\r\n"), [400], .closed),
    Rule(
      "9112 6.1", .may, "a length beside a coding is 400 in any order",
      lines("POST /book HTTP/1.1", "Host: a", "Content-Length: 5", "Transfer-Encoding: chunked", body: "0\r\n\r\n"),
      [400], .closed),
    Rule(
      "9112 6.1", .may, "an empty length beside a coding is 400", chunks("0\r\n\r\n", "Content-Length:"), [400], .closed
    ),
    Rule(
      "9112 6.1", .must, "a coding in 1.0 is faulty framing",
      lines("POST /book HTTP/1.0", "Transfer-Encoding: chunked", body: "0\r\n\r\n"), [400], .closed),
    Rule(
      "9112 6.1", .must, "a coding in 1.0 ends a kept connection",
      lines("POST /book HTTP/1.0", "Connection: keep-alive", "Transfer-Encoding: chunked", body: "0\r\n\r\n"), [400],
      .closed),
    coding(" gzip, chunked", "an unknown coding is 501", 501),
    coding(" gzip", "`chunked` comes last"), coding(" chunked, gzip", "nothing comes behind `chunked`"),
    coding(" chunked, chunked", "`chunked` comes once"), coding(" identity", "`identity` is no coding any more"),
    coding(" xchunked", "a longer word is another word"), coding(" chunked;a=b", "`chunked` has no parameters"),
    coding("", "an empty coding is invalid"), coding(" \u{B}chunked", "a vertical tab is not white space"),
    coding(" \u{C2}\u{A0}chunked", "a no-break space is not white space"),
    coding(" \"chunked\"", "a coding is not quoted"),
    Rule(
      "9112 6.1", .must, "two lines of it are one list", chunks("0\r\n\r\n", "Transfer-Encoding: chunked"), [400],
      .closed),
    Rule(
      "9112 6.1", .must, "`chunked` is equal in every case",
      lines("POST /book HTTP/1.1", "Host: localhost", "Transfer-Encoding:\tCHUNKED ", body: chunk + "0\r\n\r\n"), [200],
      .open),
    Rule(
      "9112 6.2", .must, "a length with zeros before it is a length",
      lines("POST /book HTTP/1.1", "Host: localhost", "Content-Length:\t013", body: body), [200], .open),
    length("", "an empty length is invalid"), length(" +13", "a length has no sign"),
    length(" -13", "a length has no minus"),
    length(" 13,13", "two lengths in one line are refused though equal"), length(" 13, 14", "two lengths differ"),
    length(" 1 3", "no space within"), length(" 0xd", "no hexadecimal"), length(" 1e1", "no exponent"),
    length(" 13.0", "no point"), length(" 13;a", "no parameter"),
    length(" \u{B}13", "a vertical tab is not white space"),
    length(" 13\u{C2}\u{A0}", "a no-break space is not white space"), length(" \"13\"", "no quotes"),
    length(" 13\r\nContent-Length: 13", "two lengths in two lines are refused though equal"),
    length(" 13\r\nContent-Length: 0", "two lengths in two lines differ"),
    length(" 99999999999999999999999999", "a length cannot overflow", 413),
    length(" 18446744073709551629", "a length cannot wrap around", 413),
    Rule("9112 6.3", .must, "without any framing there is no body", wire("POST", "/users/1/nothing"), [404], .open),
  ]

  static let chunking = [
    Rule("9112 7.1", .must, "chunks are understood", chunks(chunk + "0\r\n\r\n"), [200], .open),
    Rule("9112 7.1", .must, "sizes are equal in every case", chunks("D\r\n\(body)\r\n000\r\n\r\n"), [200], .open),
    bad("xyz\r\n", "a size is hexadecimal"), bad("0xd\r\n\(body)\r\n0\r\n\r\n", "a size has no prefix"),
    bad("-1\r\n", "a size has no sign"), bad("\r\n", "a size is not missing"),
    bad(" d\r\n\(body)\r\n0\r\n\r\n", "no space before it"),
    bad("d \r\n\(body)\r\n0\r\n\r\n", "no space behind it"), bad("d x\r\n\(body)\r\n0\r\n\r\n", "no word behind it"),
    bad("d\n\(body)\r\n0\r\n\r\n", "LF alone ends no size"),
    bad("d\r\r\n\(body)\r\n0\r\n\r\n", "CR CR LF ends no size"),
    bad("d\r\n\(body)0\r\n\r\n", "data ends with CR LF"),
    bad("c\r\n\(body)\r\n0\r\n\r\n", "data is as long as was said"),
    bad("d\r\n\(body)\n0\r\n\r\n", "LF alone ends no data"), bad("fffffffffffffffff\r\n", "a size cannot overflow"),
    bad("ffffffffffffffff\r\n", "a size beyond what is taken is 413", 413),
    bad("1000000000000000d\r\n\(body)\r\n0\r\n\r\n", "a size cannot wrap around"),
    bad("0\r\n\n", "LF alone ends no body"), bad("0\r\n\r\r\n", "CR CR LF ends no body"),
    Rule(
      "9112 7.1.1", .must, "unknown extensions are ignored", chunks("d;a=b;c=\"d\"\r\n\(body)\r\n0;e\r\n\r\n"),
      [200], .open),
    Rule(
      "9112 7.1.1", .should, "endless extensions are 4xx", chunks("d;" + String(repeating: "a", count: 5_000) + "\r\n"),
      [400], .closed),
    Rule("9112 7.1.2", .may, "trailers are read and ignored", chunks(chunk + "0\r\nX-Sum: 1\r\n\r\n"), [200], .open),
    Rule(
      "9112 7.1.2", .must, "trailers do not affect the framing",
      chunks(chunk + "0\r\nContent-Length: 50\r\nTransfer-Encoding: gzip\r\n\r\n"), [200], .open),
    Rule(
      "9112 7.1.2", .must, "trailers do not affect the connection or routing",
      chunks(chunk + "0\r\nConnection: close\r\nHost: b\r\n\r\n"), [200],
      .open),
    Rule("9112 7.1.2", .must, "a malformed trailer is 400", chunks(chunk + "0\r\nX : y\r\n\r\n"), [400], .closed),
    Rule(
      "9112 7.4", .must, "TE is ignored",
      wire("GET", "/users/1", "TE: gzip, trailers", "Connection: TE"), [200], .open),
    Rule("9112 7.4", .must, "TE with weight 0 is ignored", wire("GET", "/users/1", "TE: chunked;q=0"), [200], .open),
    Rule(
      "9112 8", .must, "a request with an incomplete body is not performed",
      lines("POST /book HTTP/1.1", "Host: a", "Content-Length: 99", body: body), [400], .cut),
    Rule("9112 8", .must, "a body without its last chunk is cut short", chunks(chunk), [400], .cut),
    Rule("9112 8", .may, "a head that is cut short is 400", "GET /users/1 HTTP/1.1\r\nHost: a\r\n", [400], .cut),
  ]
}

extension Rule {
  private static func line(_ line: String) -> String { lines(line, "Host: a") }

  static let messages = [
    Rule("9112 2.2", .should, "an empty line before a request line is passed over", "\r\n" + wire(), [200], .open),
    Rule("9112 2.2", .must, "CR alone is no line end in a value", wire("GET", "/", "X: a\rb"), [400], .closed),
    Rule("9112 2.2", .must, "CR CR LF is no line end", "GET / HTTP/1.1\r\r\nHost: a\r\n\r\n", [400], .closed),
    Rule("9112 2.2", .must, "CR CR LF ends no head", "GET / HTTP/1.1\r\nHost: a\r\n\r\r\n", [400], .closed),
    Rule("9112 2.2", .may, "LF alone ends no request line", "GET / HTTP/1.1\nHost: a\r\n\r\n", [400], .closed),
    Rule("9112 2.2", .may, "LF alone ends no field", "GET / HTTP/1.1\r\nHost: a\nX: y\r\n\r\n", [400], .closed),
    Rule("9112 2.2", .may, "LF alone ends no head", "GET / HTTP/1.1\r\nHost: a\r\n\n", [400], .closed),
    Rule(
      "9112 2.2", .must, "white space before the first field is refused", lines("GET / HTTP/1.1", " Host: a"), [400],
      .closed),
    Rule(
      "9112 2.2", .must, "a TAB before the first field is refused", lines("GET / HTTP/1.1", "\tX: y", "Host: a"), [400],
      .closed),
    Rule("9112 2.2", .should, "bytes that are not HTTP are answered 400", "hello\r\n\r\n", [400], .closed),
    Rule("9112 2.2", .should, "binary is answered 400", "\u{16}\u{3}\u{1}\u{0}\r\n\r\n", [400], .closed),
    Rule(
      "9112 2.2", .must, "NEL, a line end of Unicode, ends no line",
      wire("GET", "/users/1", "X: a\u{85}Connection: close"), [200], .open),
    Rule(
      "9112 2.2", .must, "the line separator of Unicode ends no line",
      wire("GET", "/users/1", "X: \u{E2}\u{80}\u{A8}Connection: close"), [200], .open),
    Rule("9112 2.3", .must, "the version is case-sensitive", line("GET / http/1.1"), [400], .closed),
    Rule("9112 2.3", .must, "the minor version is one digit", line("GET / HTTP/1.10"), [400], .closed),
    Rule("9112 2.3", .must, "the version has a point", line("GET / HTTP/1,1"), [400], .closed),
    Rule("9112 2.3", .must, "the version has two digits", line("GET / HTTP/1"), [400], .closed),
    Rule("9112 2.3", .must, "another protocol is refused", line("GET / ICY/1.1"), [400], .closed),
  ]

  static let requestLines = [
    Rule("9112 3", .may, "two spaces are no separator", line("GET  / HTTP/1.1"), [400], .closed),
    Rule("9112 3", .may, "a TAB is no separator", line("GET\t/ HTTP/1.1"), [400], .closed),
    Rule("9112 3", .may, "a TAB before the version is no separator", line("GET /\tHTTP/1.1"), [400], .closed),
    Rule("9112 3", .may, "a space before the method is refused", line(" GET / HTTP/1.1"), [400], .closed),
    Rule("9112 3", .may, "a space behind the version is refused", line("GET / HTTP/1.1 "), [400], .closed),
    Rule("9112 3", .should, "a line without a version is 400", line("GET /"), [400], .closed),
    Rule("9112 3", .should, "a line without a target is 400", line("GET HTTP/1.1"), [400], .closed),
    Rule(
      "9112 3", .should, "an endless method is 501", line(String(repeating: "A", count: 65) + " / HTTP/1.1"), [501],
      .closed),
    Rule(
      "9112 3", .must, "a target longer than is read is 414",
      line("GET /" + String(repeating: "a", count: 9_000) + " HTTP/1.1"), [414], .closed),
    Rule(
      "9112 3", .should, "a line of 8000 octets is read",
      wire("GET", "/users/1?" + String(repeating: "a", count: 7_980)), [200], .open),
    Rule("9112 3.1", .must, "methods are case-sensitive", wire("get", "/users/1"), [501], .open),
    Rule("9112 3.1", .must, "a method is a token", line("G(T / HTTP/1.1"), [400], .closed),
    Rule("9112 3.2", .must, "white space in a target is 400", line("GET /a b HTTP/1.1"), [400], .closed),
    Rule("9112 3.2", .should, "a fragment is no part of a target", line("GET /users/1#a HTTP/1.1"), [400], .closed),
    Rule(
      "9112 3.2", .should, "octets beyond ASCII are no part of a target", line("GET /\u{E9} HTTP/1.1"), [400], .closed),
    Rule("9112 3.2", .should, "a control octet is no part of a target", line("GET /\u{1} HTTP/1.1"), [400], .closed),
    Rule("9112 3.2", .should, "a path begins with a slash", line("GET users/1 HTTP/1.1"), [400], .closed),
    Rule("9112 3.2.1", .must, "origin form is understood, with a query", wire("GET", "/users?_limit=1"), [200], .open),
    Rule("9112 3.2.2", .must, "absolute form is understood", wire("GET", "http://localhost/users/1"), [200], .open),
    Rule(
      "9112 3.2.2", .must, "absolute form's authority takes precedence over Host",
      wire("GET", "http://b.test:81/rooms.json"), [200], .open
    ) {
      $0[0].text.contains("http://b.test:81/image/")
    },
    Rule(
      "9112 3.2.2", .must, "absolute form's scheme is case-insensitive", wire("GET", "HTTP://localhost/users/1"), [200],
      .open),
    Rule(
      "9112 3.2.2", .must, "absolute form does not replace a missing Host", lines("GET http://a/ HTTP/1.1"), [400],
      .closed),
    Rule(
      "9112 3.2.2", .must, "absolute form does not replace a malformed Host",
      lines("GET http://a/ HTTP/1.1", "Host: a b"), [400], .closed),
    Rule(
      "9112 3.2.2", .must, "absolute form does not allow a second Host",
      lines("GET http://a/ HTTP/1.1", "Host: a", "Host: a"), [400],
      .closed),
    Rule("9112 3.2.3", .must, "CONNECT takes an authority", line("CONNECT / HTTP/1.1"), [400], .closed),
    Rule("9112 3.2.3", .must, "CONNECT takes a port", line("CONNECT a HTTP/1.1"), [400], .closed),
    Rule("9112 3.2.4", .must, "OPTIONS asks about the server by an asterisk", wire("OPTIONS", "*"), [204], .open),
    Rule("9112 3.2.4", .must, "no other method takes an asterisk", line("GET * HTTP/1.1"), [400], .closed),
    Rule("9112 3.3", .must, "1.0 needs no Host", lines("GET /users/1 HTTP/1.0"), [200], .closed),
  ]
}

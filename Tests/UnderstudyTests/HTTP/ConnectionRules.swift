extension Rule {
  private static let one = wire("GET", "/users/1")
  private static let bad = wire("POST", "/book", "Content-Length: x")

  static let connections = [
    Rule(
      "9112 9.2", .must, "answers come in the order of the requests", one + wire("GET", "/users/3") + one,
      [200, 200, 200], .open
    ) {
      $0[0].text == $0[2].text && $0[0].text != $0[1].text
    },
    Rule("9112 9.3", .must, "1.1 persists without Connection", one, [200], .open) { $0[0]["Connection"] == nil },
    Rule("9112 9.3", .must, "1.0 does not persist", wire("GET", "/users/1", version: "1.0"), [200], .closed),
    Rule(
      "9112 9.3", .should, "1.0 persists with keep-alive",
      wire("GET", "/users/1", "Connection: Keep-Alive", version: "1.0"), [200], .open
    ) {
      $0[0]["Connection"] == "keep-alive"
    },
    Rule(
      "9112 9.3", .must, "`close` takes precedence over `keep-alive`",
      wire("GET", "/users/1", "Connection: keep-alive, close", version: "1.0"), [200], .closed),
    Rule(
      "9112 9.3", .must, "a body that no operation expects does not end the connection",
      wire("GET", "/nowhere", body: "abc"),
      [404],
      .open),
    Rule("9112 9.3", .must, "an error does not end the connection", wire("DELETE", "/devices"), [405], .open),
    Rule("9112 9.3.2", .must, "a request before bad framing is answered", one + bad, [200, 400], .closed),
    Rule("9112 9.3.2", .must, "a request after bad framing is not answered", bad + one, [400], .closed),
    Rule(
      "9112 9.3.2", .may, "sixteen requests may be pipelined", String(repeating: one, count: 16),
      [Int](repeating: 200, count: 16), .open),
    Rule(
      "9112 9.6", .must, "`close` ends the connection", wire("GET", "/users/1", "Connection: close"), [200], .closed),
    Rule(
      "9112 9.6", .must, "`close` ends the connection in any case of its letters",
      wire("GET", "/users/1", "Connection: CLOSE"), [200], .closed),
    Rule(
      "9112 9.6", .must, "`close` in a list ends the connection", wire("GET", "/users/1", "Connection: x,close,y"),
      [200], .closed),
    Rule(
      "9112 9.6", .must, "`close` in a second field line ends the connection",
      wire("GET", "/users/1", "Connection: keep-alive", "Connection: close"),
      [200], .closed),
    Rule(
      "9112 9.6", .must, "`close` ends the connection after an error", wire("GET", "/nowhere", "Connection: close"),
      [404], .closed),
    Rule(
      "9112 9.6", .must, "a request after `close` is not performed", wire("GET", "/users/1", "Connection: close") + one,
      [200],
      .closed),
    Rule("9112 9.6", .must, "`closed` is another option", wire("GET", "/users/1", "Connection: closed"), [200], .open),
    Rule(
      "9112 9.6", .must, "`x-close` is another option", wire("GET", "/users/1", "Connection: x-close"), [200], .open),
    Rule(
      "9112 9.6", .must, "`close` with a no-break space is another option",
      wire("GET", "/users/1", "Connection: close\u{C2}\u{A0}"), [200], .open),
    Rule(
      "9112 9.6", .must, "`close` in another field has no effect",
      wire("GET", "/users/1", "Proxy-Connection: close", "Keep-Alive: close"), [200], .open),
    Rule(
      "9110 7.8", .may, "Upgrade is ignored",
      wire("GET", "/users/1", "Connection: Upgrade", "Upgrade: websocket"), [200], .open
    ) {
      $0[0]["Upgrade"] == nil
    },
    Rule(
      "9110 7.8", .may, "Upgrade to HTTP/2 is ignored",
      wire("GET", "/users/1", "Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AA"), [200], .open
    ),
    Rule(
      "9110 7.8", .must, "a request after an ignored Upgrade is HTTP/1.1",
      wire("GET", "/users/1", "Connection: Upgrade", "Upgrade: h2c") + one + one, [200, 200, 200], .open),
    Rule(
      "9110 7.8", .must, "Upgrade in 1.0 is ignored",
      wire("GET", "/users/1", "Connection: Upgrade", "Upgrade: h2c", version: "1.0"), [200], .closed),
  ]

  private static let body = "{\"name\":null}"

  static let expectations = [
    Rule(
      "9110 10.1.1", .may, "no 100 is sent for a body that has arrived",
      wire("POST", "/book", "Expect: 100-continue", body: body), [200], .open),
    Rule(
      "9110 10.1.1", .must, "expectations are equal in every case",
      wire("POST", "/book", "Expect: 100-Continue", body: body), [200], .open),
    Rule(
      "9110 10.1.1", .must, "no 100 is sent without a body", wire("GET", "/users/1", "Expect: 100-continue"), [200],
      .open),
    Rule(
      "9110 10.1.1", .must, "an expectation in 1.0 is ignored",
      lines("POST /book HTTP/1.0", "Host: localhost", "Expect: 100-continue", "Content-Length: 13", body: body), [200],
      .closed),
    Rule("9110 10.1.1", .may, "another expectation is 417", wire("GET", "/users/1", "Expect: tea"), [417], .closed),
    Rule(
      "9110 10.1.1", .may, "another expectation beside 100-continue is 417",
      wire("GET", "/users/1", "Expect: 100-continue, tea"),
      [417], .closed),
    Rule(
      "9110 10.1.1", .should, "an error instead of 100 has `Connection: close`",
      wire("POST", "/book", "Expect: 100-continue", "Content-Length: 99999999"), [413], .closed),
  ]
}

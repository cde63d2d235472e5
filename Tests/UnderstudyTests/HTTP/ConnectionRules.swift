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
    Rule("9112 9.3", .must, "1.1 persists, and says nothing of it", one, [200], .open) { $0[0]["Connection"] == nil },
    Rule("9112 9.3", .must, "1.0 does not persist", wire("GET", "/users/1", version: "1.0"), [200], .closed),
    Rule(
      "9112 9.3", .should, "1.0 persists when it asks to",
      wire("GET", "/users/1", "Connection: Keep-Alive", version: "1.0"), [200], .open
    ) {
      $0[0]["Connection"] == "keep-alive"
    },
    Rule(
      "9112 9.3", .must, "`close` goes before `keep-alive`",
      wire("GET", "/users/1", "Connection: keep-alive, close", version: "1.0"), [200], .closed),
    Rule(
      "9112 9.3", .must, "a body that nobody wants does not break it", wire("GET", "/nowhere", body: "abc"), [404],
      .open),
    Rule("9112 9.3", .must, "an error does not break it", wire("DELETE", "/devices"), [405], .open),
    Rule("9112 9.3.2", .must, "what was asked before bad framing is answered", one + bad, [200, 400], .closed),
    Rule("9112 9.3.2", .must, "nothing behind bad framing is answered", bad + one, [400], .closed),
    Rule(
      "9112 9.3.2", .may, "sixteen requests may be under way", String(repeating: one, count: 16),
      [Int](repeating: 200, count: 16), .open),
    Rule(
      "9112 9.6", .must, "`close` ends the connection", wire("GET", "/users/1", "Connection: close"), [200], .closed),
    Rule("9112 9.6", .must, "in every case", wire("GET", "/users/1", "Connection: CLOSE"), [200], .closed),
    Rule("9112 9.6", .must, "in a list", wire("GET", "/users/1", "Connection: x,close,y"), [200], .closed),
    Rule(
      "9112 9.6", .must, "in a second line", wire("GET", "/users/1", "Connection: keep-alive", "Connection: close"),
      [200], .closed),
    Rule("9112 9.6", .must, "with an error, too", wire("GET", "/nowhere", "Connection: close"), [404], .closed),
    Rule(
      "9112 9.6", .must, "nothing behind it is acted upon", wire("GET", "/users/1", "Connection: close") + one, [200],
      .closed),
    Rule("9112 9.6", .must, "`closed` is another word", wire("GET", "/users/1", "Connection: closed"), [200], .open),
    Rule("9112 9.6", .must, "`x-close` is another word", wire("GET", "/users/1", "Connection: x-close"), [200], .open),
    Rule(
      "9112 9.6", .must, "a no-break space makes another word",
      wire("GET", "/users/1", "Connection: close\u{C2}\u{A0}"), [200], .open),
    Rule(
      "9112 9.6", .must, "`close` in another field says nothing",
      wire("GET", "/users/1", "Proxy-Connection: close", "Keep-Alive: close"), [200], .open),
    Rule(
      "9110 7.8", .may, "an offer to upgrade is not taken",
      wire("GET", "/users/1", "Connection: Upgrade", "Upgrade: websocket"), [200], .open
    ) {
      $0[0]["Upgrade"] == nil
    },
    Rule(
      "9110 7.8", .may, "nor one of HTTP/2",
      wire("GET", "/users/1", "Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AA"), [200], .open
    ),
    Rule(
      "9110 7.8", .must, "what follows an offer is still HTTP/1.1",
      wire("GET", "/users/1", "Connection: Upgrade", "Upgrade: h2c") + one + one, [200, 200, 200], .open),
    Rule(
      "9110 7.8", .must, "1.0 cannot offer any",
      wire("GET", "/users/1", "Connection: Upgrade", "Upgrade: h2c", version: "1.0"), [200], .closed),
  ]

  private static let body = "{\"name\":null}"

  static let expectations = [
    Rule(
      "9110 10.1.1", .may, "no 100 for a body that came along",
      wire("POST", "/book", "Expect: 100-continue", body: body), [200], .open),
    Rule(
      "9110 10.1.1", .must, "expectations are equal in every case",
      wire("POST", "/book", "Expect: 100-Continue", body: body), [200], .open),
    Rule(
      "9110 10.1.1", .must, "no 100 where no body comes", wire("GET", "/users/1", "Expect: 100-continue"), [200], .open),
    Rule(
      "9110 10.1.1", .must, "an expectation of 1.0 is not heard",
      lines("POST /book HTTP/1.0", "Host: localhost", "Expect: 100-continue", "Content-Length: 13", body: body), [200],
      .closed),
    Rule("9110 10.1.1", .may, "another expectation is 417", wire("GET", "/users/1", "Expect: tea"), [417], .closed),
    Rule(
      "9110 10.1.1", .may, "also beside one that can be met", wire("GET", "/users/1", "Expect: 100-continue, tea"),
      [417], .closed),
    Rule(
      "9110 10.1.1", .should, "a refusal instead of 100 says that the connection ends",
      wire("POST", "/book", "Expect: 100-continue", "Content-Length: 99999999"), [413], .closed),
  ]
}

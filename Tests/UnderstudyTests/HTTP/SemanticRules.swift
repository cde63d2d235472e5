extension Rule {
  private static let one = wire("GET", "/users/1")
  private static let book = "{\"name\":null}"
  private static let device = "/devices/WWM-0001-12"

  private static func isDated(_ responses: [WireResponse]) -> Bool {
    responses.allSatisfy {
      $0["Date"]?.contains(/^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/) == true
    }
  }

  static let messages = [
    Rule(
      "9112 3", "a line of 8000 octets is read",
      wire("GET", "/users/1?" + String(repeating: "a", count: 7_980)), [200], .open),
    Rule("9112 3.1", "methods are case-sensitive", wire("get", "/users/1"), [501], .open),
    Rule(
      "9112 3.2.2", "absolute form's authority takes precedence over Host",
      wire("GET", "http://b.test:81/rooms.json"), [200], .open
    ) {
      $0[0].text.contains("http://b.test:81/image/")
    },
    Rule("9112 3.2.4", "OPTIONS asks about the server by an asterisk", wire("OPTIONS", "*"), [204], .open) {
      $0[0]["Allow"]?.contains("PATCH") == true
    },
    Rule("9112 9.3", "1.1 persists without Connection", one, [200], .open) { $0[0]["Connection"] == nil },
    Rule("9112 9.3", "1.0 does not persist", wire("GET", "/users/1", version: "1.0"), [200], .closed),
    Rule(
      "9112 9.3", "1.0 persists with keep-alive",
      wire("GET", "/users/1", "Connection: Keep-Alive", version: "1.0"), [200], .open
    ) {
      $0[0]["Connection"] == "keep-alive"
    },
    Rule("9112 9.3", "an error does not end the connection", wire("DELETE", "/devices"), [405], .open),
    Rule(
      "9112 9.3", "a body that no operation expects does not end the connection",
      wire("GET", "/nowhere", body: "abc"), [404], .open),
    Rule(
      "9112 9.6", "`close` ends the connection after an error, and a request after it is not performed",
      wire("GET", "/nowhere", "Connection: close") + one, [404], .closed),
  ]

  static let semantics = [
    Rule(
      "9110 2.5", "a response has the server's own version", wire("GET", "/users/1", version: "1.9"), [200],
      .open
    ) { $0[0].head.hasPrefix("HTTP/1.1 ") },
    Rule(
      "9110 8.4", "`identity` is no content coding",
      wire("POST", "/book", "Content-Encoding: identity", body: book),
      [200], .open),
    Rule("9110 8.6", "204 announces no length", wire("OPTIONS", "/devices"), [204], .open) {
      $0[0]["Content-Length"] == nil
    },
    Rule(
      "9110 9.3.6", "a CONNECT that is not served opens no tunnel", wire("CONNECT", "a:443", host: "a:443"),
      [405], .closed),
    Rule("9110 9.3.7", "OPTIONS says what is allowed", wire("OPTIONS", device), [204], .open) {
      $0[0]["Allow"] == "GET, HEAD, PATCH, OPTIONS"
    },
    Rule("9110 10.2.1", "405 to a web page, too", wire("DELETE", "/devices", "Origin: http://a"), [405], .open) {
      $0[0]["Allow"] != nil
    },
    Rule(
      "9110 12.5.1", "Accept is ignored where there is only one representation",
      wire("GET", "/users/1", "Accept: application/json;q=0, text/html"), [200], .open),
    Rule(
      "9110 12.5.1", "a type of weight 0 is not sent where there is another",
      wire("GET", "/_mock/journal", "Accept: application/jsonl;q=0"), [200], .open
    ) {
      $0[0]["Content-Type"]?.hasPrefix("application/json;") == true
    },
    Rule(
      "9110 12.5.1", "the type with the higher weight is sent",
      wire("GET", "/_mock/report", "Accept: text/html;q=0.1, text/plain;q=0.2"), [200], .open
    ) {
      $0[0]["Content-Type"]?.hasPrefix("text/plain") == true
    },
    Rule(
      "9110 12.5.3", "a response has no content coding, whatever is accepted",
      wire("GET", "/users/1", "Accept-Encoding: gzip, identity;q=0"), [200], .open
    ) { $0[0]["Content-Encoding"] == nil },
    Rule(
      "9110 12.5.3", "415 for a content coding names the accepted ones",
      wire("POST", "/book", "Content-Encoding: br", body: book), [415], .open
    ) { $0[0]["Accept-Encoding"] == "identity" },
    Rule(
      "9110 12.5.5", "a response selected by Accept has Vary",
      wire("GET", "/_mock/journal") + wire("GET", "/_mock/report"), [200, 200], .open
    ) {
      $0.allSatisfy { $0["Vary"] == "Accept" }
    },
  ]

  static let conditions = [
    Rule(
      "9110 13.1.1", "If-Match: * is met", wire("PATCH", device, "If-Match: *", body: "{}"), [200], .open
    ),
    Rule(
      "9110 13.1.2", "If-None-Match: * spares a HEAD its body", wire("HEAD", "/users/1", "If-None-Match: *"),
      [304], .open, headless: [0]),
    Rule(
      "9110 13.1.3", "a date beside a tag is ignored",
      wire("GET", "/users/1", "If-None-Match: \"x\"", "If-Modified-Since: Thu, 01 Jan 2099 00:00:00 GMT"), [200], .open),
    Rule(
      "9110 13.1.3", "a date beside a matching If-None-Match is ignored",
      wire("GET", "/users/1", "If-None-Match: *", "If-Modified-Since: Thu, 01 Jan 1970 00:00:00 GMT"), [304], .open),
    Rule(
      "9110 13.1.3", "an invalid date is ignored",
      wire("GET", "/users/1", "If-Modified-Since: yesterday"), [200], .open),
    Rule(
      "9110 13.1.3", "a representation without Last-Modified is sent",
      wire("GET", "/users/1", "If-Modified-Since: Thu, 01 Jan 2099 00:00:00 GMT"), [200], .open),
    Rule(
      "9110 13.1.4", "a resource without Last-Modified can be changed",
      wire("PATCH", device, "If-Unmodified-Since: Thu, 01 Jan 1970 00:00:00 GMT", body: "{}"), [200], .open),
    Rule(
      "9110 13.1.5", "If-Range without Range is ignored", wire("GET", "/users/1", "If-Range: \"x\""),
      [200], .open),
    Rule(
      "9110 14.2", "a Range is ignored", wire("GET", "/image/Ljerka", "Range: bytes=0-1"), [200], .open,
      { $0[0]["Accept-Ranges"] == nil && $0[0]["Content-Range"] == nil }),
    Rule(
      "9110 13.2.1", "a request that fails without conditions fails in the same way with them",
      wire("GET", "/users/99", "If-None-Match: *") + wire("PATCH", "/devices/x", "If-Match: *", body: "{}"),
      [404, 404], .open),
    Rule(
      "9110 14.2", "a Range with another method is ignored",
      wire("POST", "/book", "Range: bytes=0-1", body: book), [200], .open
    ),
    Rule(
      "9110 14.5", "a PUT with Content-Range is refused",
      wire("PUT", "/_mock/scenario", "Content-Range: bytes 0-5/6", body: "\"calm\""), [400], .open),
    Rule(
      "9110 15.4.5", "304 has the fields that a cache needs",
      one + wire("GET", "/users/1", "If-None-Match: *"), [200, 304], .open
    ) { responses in
      ["ETag", "Cache-Control"].allSatisfy { responses[0][$0] == responses[1][$0] } && isDated(responses)
    },
    Rule("9110 15.6.6", "505 names the supported version", wire("GET", "/", version: "3.0"), [505], .closed) {
      $0[0].text.contains("HTTP/1.1")
    },
  ]
}

extension Rule {
  private static let one = wire("GET", "/users/1")
  private static let book = "{\"name\":null}"
  private static let device = "/devices/WWM-0001-12"

  private static func isDated(_ responses: [WireResponse]) -> Bool {
    responses.allSatisfy {
      $0["Date"]?.contains(/^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/) == true
    }
  }

  static let semantics = [
    Rule(
      "9110 2.5", .must, "a higher minor version is read as 1.1", wire("GET", "/users/1", version: "1.9"), [200], .open),
    Rule(
      "9110 2.5", .must, "a response has the server's own version", wire("GET", "/users/1", version: "1.9"), [200],
      .open
    ) { $0[0].head.hasPrefix("HTTP/1.1 ") },
    Rule(
      "9110 4.2.1", .must, "a target without a host is refused", lines("GET http:///a HTTP/1.1", "Host: a"), [400],
      .closed),
    Rule(
      "9110 4.2.4", .should, "user information before a host is an error", lines("GET http://u@a/ HTTP/1.1", "Host: a"),
      [400], .closed),
    Rule(
      "9110 6.6.1", .must, "every response has a Date", one + wire("GET", "/nowhere") + wire("OPTIONS", "/devices"),
      [200, 404, 204], .open, isDated),
    Rule("9110 6.6.1", .must, "an error response has a Date", wire("GET", "/", "X : y"), [400], .closed, isDated),
    Rule(
      "9110 7.4", .must, "https is not served without TLS",
      lines("GET https://localhost/users/1 HTTP/1.1", "Host: localhost"), [421], .closed),
    Rule("9110 8.3", .should, "content has a type", one + wire("GET", "/nowhere"), [200, 404], .open) {
      $0.allSatisfy { $0["Content-Type"] != nil }
    },
    Rule(
      "9110 8.4", .may, "coded content is 415", wire("POST", "/book", "Content-Encoding: gzip", body: book), [415],
      .open),
    Rule(
      "9110 8.4", .should, "`identity` is no content coding",
      wire("POST", "/book", "Content-Encoding: identity", body: book),
      [200], .open),
    Rule("9110 8.6", .must, "204 announces no length", wire("OPTIONS", "/devices"), [204], .open) {
      $0[0]["Content-Length"] == nil
    },
    Rule(
      "9110 8.6", .must, "HEAD announces the length of GET", one + wire("HEAD", "/users/1"), [200, 200], .open,
      headless: [1]
    ) {
      $0[0]["Content-Length"] == $0[1]["Content-Length"] && $0[0]["Content-Length"] == "\($0[0].body.count)"
    },
    Rule("9110 8.8.3", .must, "an entity tag is quoted", one, [200], .open) {
      $0[0]["ETag"]?.contains(/^(W\/)?"[!#-~]*"$/) == true
    },
    Rule("9110 9.1", .should, "an unknown method is 501", wire("BREW", "/users/1"), [501], .open),
    Rule(
      "9110 9.1", .must, "GET and HEAD are supported", one + wire("HEAD", "/users/1"), [200, 200], .open, headless: [1]),
    Rule("9110 9.3.2", .must, "HEAD has no body", wire("HEAD", "/users") + one, [200, 200], .open, headless: [0]),
    Rule(
      "9110 9.3.2", .must, "an error to HEAD has no body", wire("HEAD", "/nowhere") + one, [404, 200], .open,
      headless: [0]),
    Rule(
      "9110 9.3.2", .should, "HEAD has the fields of GET", one + wire("HEAD", "/users/1"), [200, 200], .open,
      headless: [1]
    ) {
      $0[0].fields.map(\.name) == $0[1].fields.map(\.name)
    },
    Rule(
      "9110 9.3.6", .must, "a CONNECT that is not served opens no tunnel", wire("CONNECT", "a:443", host: "a:443"),
      [405], .closed),
    Rule("9110 9.3.7", .should, "OPTIONS says what is allowed", wire("OPTIONS", device), [204], .open) {
      $0[0]["Allow"] == "GET, HEAD, PATCH, OPTIONS"
    },
    Rule("9110 9.3.8", .may, "TRACE is not served", wire("TRACE", "/users/1"), [405], .open),
    Rule("9110 10.2.1", .must, "405 says what is allowed", wire("DELETE", device), [405], .open) {
      $0[0]["Allow"] == "GET, HEAD, PATCH, OPTIONS"
    },
    Rule("9110 10.2.1", .must, "405 to a web page, too", wire("DELETE", "/devices", "Origin: http://a"), [405], .open) {
      $0[0]["Allow"] != nil
    },
    Rule(
      "9110 12.5.1", .may, "Accept is ignored where there is only one representation",
      wire("GET", "/users/1", "Accept: application/json;q=0, text/html"), [200], .open),
    Rule(
      "9110 12.5.1", .must, "a type of weight 0 is not sent where there is another",
      wire("GET", "/_mock/journal", "Accept: application/jsonl;q=0"), [200], .open
    ) {
      $0[0]["Content-Type"]?.hasPrefix("application/json;") == true
    },
    Rule(
      "9110 12.5.1", .should, "the type with the higher weight is sent",
      wire("GET", "/_mock/report", "Accept: text/html;q=0.1, text/plain;q=0.2"), [200], .open
    ) {
      $0[0]["Content-Type"]?.hasPrefix("text/plain") == true
    },
    Rule(
      "9110 12.5.3", .may, "a response has no content coding, whatever is accepted",
      wire("GET", "/users/1", "Accept-Encoding: gzip, identity;q=0"), [200], .open
    ) { $0[0]["Content-Encoding"] == nil },
    Rule(
      "9110 12.5.3", .should, "415 for a content coding names the accepted ones",
      wire("POST", "/book", "Content-Encoding: br", body: book), [415], .open
    ) { $0[0]["Accept-Encoding"] == "identity" },
    Rule(
      "9110 12.5.5", .should, "a response selected by Accept has Vary",
      wire("GET", "/_mock/journal") + wire("GET", "/_mock/report"), [200, 200], .open
    ) {
      $0.allSatisfy { $0["Vary"] == "Accept" }
    },
  ]

  static let conditions = [
    Rule(
      "9110 13.1.1", .must, "If-Match of another tag fails", wire("PATCH", device, "If-Match: \"x\"", body: "{}"),
      [412], .open),
    Rule(
      "9110 13.1.1", .must, "If-Match: * is met", wire("PATCH", device, "If-Match: *", body: "{}"), [200], .open
    ),
    Rule(
      "9110 13.1.2", .must, "If-None-Match: * spares a GET its body",
      wire("GET", "/users/1", "If-None-Match: *"), [304], .open),
    Rule(
      "9110 13.1.2", .must, "If-None-Match: * spares a HEAD its body", wire("HEAD", "/users/1", "If-None-Match: *"),
      [304], .open, headless: [0]),
    Rule(
      "9110 13.1.2", .must, "If-None-Match: * fails a change", wire("PATCH", device, "If-None-Match: *", body: "{}"),
      [412], .open),
    Rule(
      "9110 13.1.2", .must, "If-None-Match with another tag has no effect",
      wire("GET", "/users/1", "If-None-Match: \"x\""), [200], .open),
    Rule(
      "9110 13.1.3", .must, "a date beside a tag is ignored",
      wire("GET", "/users/1", "If-None-Match: \"x\"", "If-Modified-Since: Thu, 01 Jan 2099 00:00:00 GMT"), [200], .open),
    Rule(
      "9110 13.1.3", .must, "a date beside a matching If-None-Match is ignored",
      wire("GET", "/users/1", "If-None-Match: *", "If-Modified-Since: Thu, 01 Jan 1970 00:00:00 GMT"), [304], .open),
    Rule(
      "9110 13.1.3", .must, "an invalid date is ignored",
      wire("GET", "/users/1", "If-Modified-Since: yesterday"), [200], .open),
    Rule(
      "9110 13.1.3", .must, "a representation without Last-Modified is sent",
      wire("GET", "/users/1", "If-Modified-Since: Thu, 01 Jan 2099 00:00:00 GMT"), [200], .open),
    Rule(
      "9110 13.1.4", .must, "a resource without Last-Modified can be changed",
      wire("PATCH", device, "If-Unmodified-Since: Thu, 01 Jan 1970 00:00:00 GMT", body: "{}"), [200], .open),
    Rule(
      "9110 13.1.5", .must, "If-Range without Range is ignored", wire("GET", "/users/1", "If-Range: \"x\""),
      [200], .open),
    Rule(
      "9110 13.2.1", .must, "a request that fails without conditions fails in the same way with them",
      wire("GET", "/users/99", "If-None-Match: *") + wire("PATCH", "/devices/x", "If-Match: *", body: "{}"),
      [404, 404], .open),
    Rule(
      "9110 13.2.2", .must, "If-Match is evaluated first",
      wire("GET", "/users/1", "If-Match: \"x\"", "If-None-Match: *"), [412], .open),
    Rule("9110 14.2", .may, "a Range is ignored", wire("GET", "/users/1", "Range: bytes=0-1"), [200], .open) {
      $0[0]["Content-Range"] == nil
    },
    Rule(
      "9110 14.2", .must, "a Range of an unknown unit is ignored", wire("GET", "/users/1", "Range: pages=1-2"), [200],
      .open),
    Rule(
      "9110 14.2", .must, "a Range with another method is ignored",
      wire("POST", "/book", "Range: bytes=0-1", body: book), [200], .open
    ),
    Rule(
      "9110 14.5", .should, "a PUT with Content-Range is refused",
      wire("PUT", "/_mock/scenario", "Content-Range: bytes 0-5/6", body: "\"calm\""), [400], .open),
    Rule(
      "9110 15.4.5", .must, "304 has the fields that a cache needs",
      one + wire("GET", "/users/1", "If-None-Match: *"), [200, 304], .open
    ) { responses in
      ["ETag", "Cache-Control"].allSatisfy { responses[0][$0] == responses[1][$0] } && isDated(responses)
    },
    Rule(
      "9110 15.4.5", .must, "304 has no body", wire("GET", "/users/1", "If-None-Match: *") + one, [304, 200], .open),
    Rule(
      "9110 15.5.14", .may, "content that is too large is 413", wire("POST", "/book", "Content-Length: 1048577"), [413],
      .closed
    ) {
      $0[0].text.contains("problem:content-too-large")
    },
    Rule(
      "9110 15.5.15", .must, "a target that is too long is 414",
      wire("GET", "/" + String(repeating: "a", count: 9_000)), [414], .closed),
    Rule("9110 15.6.6", .may, "HTTP/2.0 is 505", wire("GET", "/", version: "2.0"), [505], .closed),
    Rule("9110 15.6.6", .should, "505 names the supported version", wire("GET", "/", version: "3.0"), [505], .closed) {
      $0[0].text.contains("HTTP/1.1")
    },
  ]
}

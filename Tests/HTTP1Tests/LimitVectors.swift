@testable import HTTP1

extension Vector {
  private static func text(_ count: Int, _ character: Character = "x") -> String {
    String(repeating: character, count: count)
  }

  /// A request line of this many bytes with its line end.
  private static func line(_ count: Int) -> String { "GET /" + text(count - 16) + " HTTP/1.1\r\n" }

  static let limits: [Vector] = [
    Vector(
      "a request line at the limit is taken (RFC 9112 3)", line(40) + "Host: a\r\n\r\n",
      .yes("GET", "/" + text(24)), limits: Limits(requestLine: 40)),
    Vector(
      "a request line above the limit is refused (RFC 9112 3)", line(41) + "Host: a\r\n\r\n", .no(.requestLineTooLong),
      limits: Limits(requestLine: 40)),
    Vector(
      "a request line that never ends is refused (RFC 9112 3)", "GET /" + text(80), .no(.requestLineTooLong),
      limits: Limits(requestLine: 40)),
    Vector(
      "bytes of a request line beyond the limit are not parsed (RFC 9112 3)", "GET /" + text(80) + "\0",
      .no(.requestLineTooLong),
      limits: Limits(requestLine: 40)),
    Vector(
      "bytes of a method beyond the limit are not parsed (RFC 9112 3)", text(80) + "\0", .no(.methodTooLong)),
    Vector(
      "bytes of a name beyond the limit are not parsed (RFC 6585 5)", "GET / HTTP/1.1\r\n" + text(40) + "\0",
      .no(.headTooLarge), limits: Limits(head: 20)),
    Vector(
      "bytes of a value beyond the limit are not parsed (RFC 6585 5)", "GET / HTTP/1.1\r\nX:" + text(40) + "\0",
      .no(.headTooLarge), limits: Limits(head: 20)),
    Vector(
      "an empty line before the request line does not count", "\r\n" + line(40) + "Host: a\r\n\r\n",
      .yes("GET", "/" + text(24)), limits: Limits(requestLine: 40)),
    Vector(
      "a method at the limit is taken (RFC 9112 3)", text(64) + " / HTTP/1.1\r\nHost: a\r\n\r\n", .yes(text(64))),
    Vector(
      "a method above the limit is not implemented (RFC 9112 3)", text(65) + " / HTTP/1.1\r\n", .no(.methodTooLong)),
    Vector("a method that never ends is not implemented (RFC 9112 3)", text(100), .no(.methodTooLong)),
    Vector("a head at the limit is taken (RFC 6585 5)", get("X: abcd"), .yes(), limits: Limits(head: 20)),
    Vector(
      "a head above the limit is refused (RFC 6585 5)", get("X: abcde"), .no(.headTooLarge), limits: Limits(head: 20)),
    Vector(
      "a name that never ends is refused (RFC 6585 5)", "GET / HTTP/1.1\r\n" + text(40), .no(.headTooLarge),
      limits: Limits(head: 20)),
    Vector(
      "a value that never ends is refused (RFC 6585 5)", "GET / HTTP/1.1\r\nX:" + text(40), .no(.headTooLarge),
      limits: Limits(head: 20)),
    Vector(
      "white space that never ends is refused (RFC 6585 5)", "GET / HTTP/1.1\r\nX:" + text(40, " "),
      .no(.headTooLarge), limits: Limits(head: 20)),
    Vector(
      "lists at the limit are taken (RFC 6585 5)", get("Accept: text/html", "If-Match: \"a\""), .yes(),
      limits: Limits(lists: 12)),
    Vector(
      "lists above the limit in total are refused (RFC 6585 5)", get("Accept: text/html", "If-Match: \"ab\""),
      .no(.listsTooLong), limits: Limits(lists: 12)),
    Vector(
      "a list of many lines is one list (RFC 9110 5.2)",
      get("Prefer: abcd", "Prefer: abcd", "Prefer: abcd", "Prefer: a"), .no(.listsTooLong), limits: Limits(lists: 12)),
    Vector(
      "lists of every kind count (RFC 6585 5)", get("If-None-Match: \"abcdef\"", "X-Forwarded-Host: abcde"),
      .no(.listsTooLong), limits: Limits(lists: 12)),
    Vector(
      "other values may be longer than all lists (RFC 6585 5)", get("X: " + text(40), "Authorization: " + text(40)),
      .yes(), limits: Limits(lists: 12)),
    Vector("as many fields as allowed are taken (RFC 6585 5)", get("X: a", "Y: b"), .yes(), limits: Limits(fields: 3)),
    Vector(
      "one field more than allowed is refused (RFC 6585 5)", get("X: a", "Y: b", "Z: c"), .no(.tooManyFields),
      limits: Limits(fields: 3)),
    Vector(
      "content in chunks at the limit is taken (RFC 9110 15.5.14)", chunked("5\r\nhello\r\n3\r\nyou\r\n0\r\n\r\n"),
      .yes("POST", body: "helloyou"), limits: Limits(body: 8)),
    Vector(
      "content in chunks above the limit is refused at the chunk's size (RFC 9110 15.5.14)",
      chunked("5\r\nhello\r\n4\r\n"),
      .no(.bodyTooLarge), limits: Limits(body: 8)),
    Vector(
      "a chunk line at the limit is taken", chunked("0;" + text(17) + "\r\n\r\n"), .yes("POST"),
      limits: Limits(chunkLine: 20)),
    Vector(
      "a chunk line above the limit is refused", chunked("0;" + text(18) + "\r\n\r\n"), .no(.chunkLineTooLong),
      limits: Limits(chunkLine: 20)),
    Vector(
      "a chunk line that never ends is refused", chunked("0;" + text(40)), .no(.chunkLineTooLong),
      limits: Limits(chunkLine: 20)),
    Vector(
      "too much framing of small chunks is refused",
      chunked(String(repeating: "1;" + text(37) + "\r\nx\r\n", count: 9)), .no(.chunkOverhead),
      limits: Limits(chunkOverhead: 100)),
    Vector(
      "the framing of a few small chunks is accepted",
      chunked(String(repeating: "1;" + text(37) + "\r\nx\r\n", count: 4) + "0\r\n\r\n"), .yes("POST", body: "xxxx"),
      limits: Limits(chunkOverhead: 100)),
    Vector(
      "trailers above the limit are refused (RFC 6585 5)", chunked("0\r\nX: " + text(20) + "\r\n\r\n"),
      .no(.headTooLarge), limits: Limits(trailers: 20)),
    Vector(
      "too many trailers are refused (RFC 6585 5)", chunked("0\r\nX: a\r\nY: b\r\n\r\n"), .no(.tooManyFields),
      limits: Limits(trailerFields: 1)),
    Vector(
      "the limits apply to each pipelined request separately", get("X: abcd") + get("X: abcd") + get("X: abcd"),
      .yes(), .yes(), .yes(), limits: Limits(requestLine: 20, head: 20, fields: 2)),
  ]
}

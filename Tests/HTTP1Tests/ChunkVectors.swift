@testable import HTTP1

extension Vector {
  private static let hello = Outcome.yes("POST", body: "hello")

  /// Five bytes in one chunk with this size line.
  private static func sized(_ line: String) -> String { chunked(line + "\r\nhello\r\n0\r\n\r\n") }

  /// A chunked body with these trailer lines.
  private static func trailed(_ lines: String) -> String { chunked("5\r\nhello\r\n0\r\n" + lines + "\r\n") }

  static let chunks: [Vector] = [
    Vector("a body may have no chunks (RFC 9112 7.1)", chunked("0\r\n\r\n"), .yes("POST")),
    Vector("chunks are joined (RFC 9112 7.1)", chunked("2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n"), hello),
    Vector("one chunk holds all (RFC 9112 7.1)", sized("5"), hello),
    Vector(
      "a size is hexadecimal (RFC 9112 7.1)", chunked("A\r\n0123456789\r\n0\r\n\r\n"), .yes("POST", body: "0123456789")),
    Vector(
      "a size may be in small letters (RFC 9112 7.1)", chunked("a\r\n0123456789\r\n0\r\n\r\n"),
      .yes("POST", body: "0123456789")),
    Vector("a size may have leading zeros (RFC 9112 7.1)", sized("0005"), hello),
    Vector("the last chunk may have many zeros (RFC 9112 7.1)", chunked("0000\r\n\r\n"), .yes("POST")),
    Vector(
      "data may look like framing (RFC 9112 7.1)", chunked("5\r\n0\r\n\r\n\r\n0\r\n\r\n"),
      .yes("POST", body: "0\r\n\r\n")),
    Vector("sixteen digits of a size are accepted", sized("0000000000000005"), hello),
    Vector("seventeen digits of a size are refused", sized("00000000000000005"), .no(.chunkSize)),
    Vector("a size cannot overflow (RFC 9112 7.1)", sized("10000000000000005"), .no(.chunkSize)),
    Vector("a size of all ones is too large", sized("ffffffffffffffff"), .no(.bodyTooLarge)),
    Vector("a size has no sign (RFC 9112 7.1)", sized("+5"), .no(.chunkSize)),
    Vector("a size is not negative (RFC 9112 7.1)", sized("-5"), .no(.chunkSize)),
    Vector("a size has no 0x (RFC 9112 7.1)", sized("0x5"), .no(.chunkSize)),
    Vector("a missing size is refused (RFC 9112 7.1)", sized(""), .no(.chunkSize)),
    Vector("a size with another letter is refused (RFC 9112 7.1)", sized("g"), .no(.chunkSize)),
    Vector("a size has no SP before it (RFC 9112 7.1)", sized(" 5"), .no(.chunkSize)),
    Vector("a size has no SP behind it (RFC 9112 7.1)", sized("5 "), .no(.chunkExtension)),
    Vector("a size has no TAB behind it (RFC 9112 7.1)", sized("5\t"), .no(.chunkExtension)),
    Vector("a size has no underscore", sized("0_5"), .no(.chunkSize)),
    Vector("a bare LF does not end a size (RFC 9112 2.2)", chunked("5\nhello\r\n0\r\n\r\n"), .no(.bareLineFeed)),
    Vector("a bare CR does not end a size (RFC 9112 2.2)", chunked("5\rhello"), .no(.bareCarriageReturn)),
    Vector("CR CR LF does not end a size (RFC 9112 2.2)", sized("5\r"), .no(.bareCarriageReturn)),
    Vector("data is not longer than its size (RFC 9112 7.1)", chunked("4\r\nhello\r\n"), .no(.chunkEnd)),
    Vector("data is not shorter than its size (RFC 9112 7.1)", chunked("6\r\nhello\r\n0\r\n\r\n"), .no(.chunkEnd)),
    Vector("a bare LF does not end data (RFC 9112 2.2)", chunked("5\r\nhello\n0\r\n\r\n"), .no(.chunkEnd)),
    Vector("a bare CR does not end data (RFC 9112 2.2)", chunked("5\r\nhello\r0\r\n\r\n"), .no(.bareCarriageReturn)),
    Vector("data ends before the next size (RFC 9112 7.1)", chunked("5\r\nhello0\r\n\r\n"), .no(.chunkEnd)),
    Vector("a body without its last chunk is cut short (RFC 9112 8)", chunked("5\r\nhello\r\n"), .no(.truncated)),
    Vector("a body without its last line is cut short (RFC 9112 8)", chunked("0\r\n"), .no(.truncated)),
    Vector(
      "two chunked requests in a row are kept apart", sized("5") + chunked("1\r\nx\r\n0\r\n\r\n"), hello,
      .yes("POST", body: "x")),
    Vector("what follows a bad chunk is not read", chunked("x\r\n") + get(), .no(.chunkSize)),

    Vector("an extension is ignored (RFC 9112 7.1.1)", sized("5;a"), hello),
    Vector("an extension may have a value (RFC 9112 7.1.1)", sized("5;a=b"), hello),
    Vector("an extension's value may be quoted (RFC 9112 7.1.1)", sized("5;a=\"b;\\\"\t \u{E9}\""), hello),
    Vector("a quoted value may be empty (RFC 9110 5.6.4)", sized("5;a=\"\""), hello),
    Vector("a chunk may have several extensions (RFC 9112 7.1.1)", sized("5;a;b=c;d=\"e\";f"), hello),
    Vector("white space is allowed around ; and = (RFC 9112 7.1.1)", sized("5 \t; a = b ;c = \"d\" ; e ; f"), hello),
    Vector("the last chunk may have an extension (RFC 9112 7.1.1)", chunked("0;a=b\r\n\r\n"), .yes("POST")),
    Vector("white space without ; is refused (RFC 9112 7.1.1)", sized("5 a"), .no(.chunkExtension)),
    Vector("an extension has a name (RFC 9112 7.1.1)", sized("5;"), .no(.chunkExtension)),
    Vector("an extension has a name before its value", sized("5;=b"), .no(.chunkExtension)),
    Vector("two semicolons are refused", sized("5;;a"), .no(.chunkExtension)),
    Vector("a missing value is refused (RFC 9112 7.1.1)", sized("5;a="), .no(.chunkExtension)),
    Vector("an extension's name contains no delimiter", sized("5;a(b"), .no(.chunkExtension)),
    Vector("two names without a separator are refused", sized("5;a b"), .no(.chunkExtension)),
    Vector("trailing white space is refused", sized("5;a "), .no(.chunkExtension)),
    Vector("an unterminated quoted value is refused", sized("5;a=\"b"), .no(.chunkExtension)),
    Vector("nothing follows a quoted value", sized("5;a=\"b\"c"), .no(.chunkExtension)),
    Vector("NUL in an extension is refused", sized("5;a=\"\0\""), .no(.chunkExtension)),
    Vector("an escaped control byte is refused", sized("5;a=\"\\\0\""), .no(.chunkExtension)),
    Vector("a bare LF in an extension is refused (RFC 9112 2.2)", sized("5;a\n0"), .no(.bareLineFeed)),
    Vector("a bare LF in a quoted value is refused (RFC 9112 2.2)", sized("5;a=\"\n\""), .no(.bareLineFeed)),
    Vector("a CR in a quoted value is refused (RFC 9112 2.2)", sized("5;a=\"\r\n\""), .no(.chunkExtension)),
  ]

  static let trailers: [Vector] = [
    Vector(
      "trailer fields are kept apart (RFC 9112 7.1.2)", trailed("X-Sum: 1\r\nY: \r\n"),
      .yes("POST", body: "hello", trailers: ["X-Sum: 1", "Y: "])),
    Vector("framing in trailers is ignored (RFC 9110 6.5.1)", trailed("Content-Length: 9\r\n"), hello),
    Vector("coding in trailers is ignored (RFC 9110 6.5.1)", trailed("transfer-encoding: gzip\r\n"), hello),
    Vector(
      "routing in trailers is ignored (RFC 9110 6.5.1)", trailed("Host: b\r\nX: y\r\n"),
      .yes("POST", body: "hello", trailers: ["X: y"])),
    Vector("Connection in trailers is ignored (RFC 9110 6.5.1)", trailed("Connection: close\r\n"), hello),
    Vector("authorization in trailers is ignored (RFC 9110 6.5.1)", trailed("Authorization: x\r\n"), hello),
    Vector("a folded trailer is refused (RFC 9112 5.2)", trailed("X: a\r\n b\r\n"), .no(.lineFolding)),
    Vector("a trailer without a colon is refused (RFC 9112 5)", trailed("X\r\n"), .no(.colonMissing)),
    Vector("a SP before a trailer's colon is refused (RFC 9112 5.1)", trailed("X : a\r\n"), .no(.blankBeforeColon)),
    Vector("NUL in a trailer is refused (RFC 9110 5.5)", trailed("X: \0\r\n"), .no(.fieldValueByte)),
    Vector("a bare LF does not end a trailer (RFC 9112 2.2)", trailed("X: a\n"), .no(.bareLineFeed)),
    Vector("a bare CR does not end a trailer (RFC 9112 2.2)", trailed("X: a\rb\r\n"), .no(.bareCarriageReturn)),
    Vector("a bare LF does not end the trailer section (RFC 9112 2.2)", chunked("0\r\n\n"), .no(.bareLineFeed)),
    Vector(
      "CR CR LF does not end the trailer section (RFC 9112 2.2)", chunked("0\r\n\r\r\n"), .no(.bareCarriageReturn)),
    Vector("trailers without their empty line are cut short (RFC 9112 8)", chunked("0\r\nX: a\r\n"), .no(.truncated)),
  ]
}

@testable import HTTP1

extension Vector {
  private static func line(_ text: String) -> String { text + "\r\nHost: a\r\n\r\n" }

  static let requestLines: [Vector] = [
    Vector("a request line has method, target and version (RFC 9112 3)", get(), .yes()),
    Vector("one empty line before the request line is ignored (RFC 9112 2.2)", "\r\n" + get(), .yes()),
    Vector("two empty lines before the request line are refused (RFC 9112 2.2)", "\r\n\r\n" + get(), .no(.blankLines)),
    Vector(
      "one empty line after a body is ignored (RFC 9112 2.2)",
      post("Content-Length: 2", body: "hi") + "\r\n" + get(), .yes("POST", body: "hi"), .yes()),
    Vector(
      "two empty lines after a body are refused (RFC 9112 2.2)",
      post("Content-Length: 2", body: "hi") + "\r\n\r\n" + get(), .yes("POST", body: "hi"), .no(.blankLines)),
    Vector("an empty line alone is not a request (RFC 9112 2.2)", "\r\n"),
    Vector("a CR alone begins an empty line (RFC 9112 2.2)", "\r", .no(.truncated)),
    Vector("a CR before the request line needs its LF (RFC 9112 2.2)", "\r" + get(), .no(.bareCarriageReturn)),
    Vector("a bare LF is not an empty line (RFC 9112 2.2)", "\n" + get(), .no(.bareLineFeed)),
    Vector(
      "a bare LF does not end a request line (RFC 9112 2.2)", "GET / HTTP/1.1\nHost: a\r\n\r\n", .no(.bareLineFeed)),
    Vector("a bare LF does not end a target (RFC 9112 2.2)", "GET /\n", .no(.bareLineFeed)),
    Vector("a bare LF does not end a method (RFC 9112 2.2)", "GET\n", .no(.bareLineFeed)),
    Vector("CR CR LF does not end a request line (RFC 9112 2.2)", line("GET / HTTP/1.1\r"), .no(.bareCarriageReturn)),
    Vector("a CR in the request line needs its LF", "GET / HTTP/1.1\rHost: a\r\n\r\n", .no(.bareCarriageReturn)),
    Vector("white space before the method is refused (RFC 9112 3)", " " + get(), .no(.methodMissing)),
    Vector("a TAB before the method is refused (RFC 9112 3)", "\t" + get(), .no(.methodByte)),
    Vector("two SP after the method are refused (RFC 9112 3)", line("GET  / HTTP/1.1"), .no(.targetMissing)),
    Vector("a TAB after the method is refused (RFC 9112 3)", line("GET\t/ HTTP/1.1"), .no(.methodByte)),
    Vector("two SP before the version are refused (RFC 9112 3)", line("GET /  HTTP/1.1"), .no(.versionSyntax)),
    Vector("a TAB before the version is refused (RFC 9112 3)", line("GET /\tHTTP/1.1"), .no(.targetByte)),
    Vector("a SP after the version is refused (RFC 9112 3)", line("GET / HTTP/1.1 "), .no(.versionSyntax)),
    Vector("a fourth part is refused (RFC 9112 3)", line("GET / HTTP/1.1 x"), .no(.versionSyntax)),
    Vector("a SP in the target is refused (RFC 9112 3.2)", line("GET /a b HTTP/1.1"), .no(.versionSyntax)),
    Vector("a method may be any token (RFC 9112 3.1)", line("X-!#$%&'*+.^_`|~9 / HTTP/1.1"), .yes("X-!#$%&'*+.^_`|~9")),
    Vector("a method keeps its case (RFC 9112 3.1)", line("get / HTTP/1.1"), .yes("get")),
    Vector("a method holds no delimiter (RFC 9112 3.1)", line("GE(T / HTTP/1.1"), .no(.methodByte)),
    Vector("a method holds no colon (RFC 9112 3.1)", line("Host: a"), .no(.methodByte)),
    Vector("a method holds no obs-text (RFC 9112 3.1)", line("G\u{C9}T / HTTP/1.1"), .no(.methodByte)),
    Vector("a method holds no NUL (RFC 9112 3.1)", line("GET\0 / HTTP/1.1"), .no(.methodByte)),
    Vector("a TLS hello is named as one (RFC 9112 3.1)", "\u{16}\u{3}\u{1}\u{2}", .no(.encrypted)),
    Vector("a method alone is not a request (RFC 9112 3)", line("GET"), .no(.targetMissing)),
    Vector("a method and a SP are not a request (RFC 9112 3)", line("GET "), .no(.targetMissing)),
    Vector("HTTP/0.9, without a version, is not supported (RFC 9112 3)", line("GET /"), .no(.simpleRequest)),
    Vector("an empty version is refused (RFC 9112 2.3)", line("GET / "), .no(.versionSyntax)),
    Vector("HTTP/1.0 may lack a Host (RFC 9112 3.2)", "GET / HTTP/1.0\r\n\r\n", .yes(host: nil, persists: false)),
    Vector("a minor version above 1 is taken as 1.1 (RFC 9110 2.5)", line("GET / HTTP/1.9"), .yes()),
    Vector("HTTP/1.2 needs a Host like 1.1 (RFC 9112 3.2)", "GET / HTTP/1.2\r\n\r\n", .no(.hostMissing)),
    Vector("HTTP/2.0 is not supported (RFC 9110 15.6.6)", line("GET / HTTP/2.0"), .no(.versionUnsupported)),
    Vector(
      "HTTP/0.9 with its version is not supported (RFC 9110 15.6.6)", line("GET / HTTP/0.9"), .no(.versionUnsupported)),
    Vector(
      "the preface of HTTP/2 is refused (RFC 9113 3.4)", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
      .no(.versionUnsupported)),
    Vector("the version's name is case-sensitive (RFC 9112 2.3)", line("GET / http/1.1"), .no(.versionSyntax)),
    Vector("a version has two digits (RFC 9112 2.3)", line("GET / HTTP/1"), .no(.versionSyntax)),
    Vector("a version has no third digit (RFC 9112 2.3)", line("GET / HTTP/1.10"), .no(.versionSyntax)),
    Vector("a version has a dot (RFC 9112 2.3)", line("GET / HTTP/1,1"), .no(.versionSyntax)),
    Vector("a version has no sign (RFC 9112 2.3)", line("GET / HTTP/+1.1"), .no(.versionSyntax)),
    Vector("another protocol is refused (RFC 9112 2.3)", line("GET / HTTPS/1.1"), .no(.versionSyntax)),
    Vector("a version after LF is refused (RFC 9112 2.2)", line("GET / HTTP\n/1.1"), .no(.bareLineFeed)),
    Vector("half a request line is incomplete (RFC 9112 8)", "GET /hal", .no(.truncated)),
    Vector("a head without its empty line is cut short (RFC 9112 8)", "GET / HTTP/1.1\r\nHost: a\r\n", .no(.truncated)),
    Vector("the end of the connection alone is not a request (RFC 9112 8)", ""),
    Vector("requests may be pipelined (RFC 9112 9.3.2)", get() + get() + get(), .yes(), .yes(), .yes()),
    Vector(
      "a valid request is returned before an invalid one is refused (RFC 9112 9.3.2)", get() + "?" + get(), .yes(),
      .no(.methodByte)),
  ]
}

@testable import HTTP1

extension Vector {
  private static func target(_ text: String, _ method: String = "GET") -> String {
    method + " " + text + " HTTP/1.1\r\nHost: a\r\n\r\n"
  }

  static let targets: [Vector] = [
    Vector("origin form begins with a slash (RFC 9112 3.2.1)", target("/a/b"), .yes("GET", "/a/b")),
    Vector("the first ? begins the query (RFC 9112 3.2.1)", target("/a?b?c/d"), .yes("GET", "/a", query: "b?c/d")),
    Vector("a query may be empty (RFC 9112 3.2.1)", target("/a?"), .yes("GET", "/a", query: "")),
    Vector("a path may have empty segments (RFC 3986 3.3)", target("//a//"), .yes("GET", "//a//")),
    Vector("the parser does not resolve dot segments (RFC 3986 3.3)", target("/../a/."), .yes("GET", "/../a/.")),
    Vector("percent-encodings are not decoded (RFC 3986 2.1)", target("/%2F%c3%A9"), .yes("GET", "/%2F%c3%A9")),
    Vector("brackets may be sent raw in a query", target("/?f[n]=x"), .yes(query: "f[n]=x")),
    Vector("bars and braces may be sent raw in a query", target("/?a|b={c}^`\\\"<>"), .yes(query: "a|b={c}^`\\\"<>")),
    Vector("a fragment is never sent (RFC 9112 3.2)", target("/a#b"), .no(.targetByte)),
    Vector("% needs two digits (RFC 3986 2.1)", target("/%zz"), .no(.targetPercent)),
    Vector("% needs its second digit (RFC 3986 2.1)", target("/a%2"), .no(.targetPercent)),
    Vector("% needs its digits in a query too (RFC 3986 2.1)", target("/?a=%"), .no(.targetPercent)),
    Vector("% needs digits in every form (RFC 3986 2.1)", target("http://a/%g0"), .no(.targetPercent)),
    Vector("bytes beyond ASCII must be encoded (RFC 3986 2)", target("/caf\u{C3}\u{A9}"), .no(.targetByte)),
    Vector("NUL is no part of a target (RFC 9112 3.2)", target("/a\0b"), .no(.targetByte)),
    Vector("DEL is no part of a target (RFC 9112 3.2)", target("/a\u{7F}b"), .no(.targetByte)),
    Vector("VT is no part of a target (RFC 9112 3.2)", target("/a\u{B}b"), .no(.targetByte)),
    Vector("a target without a slash has no form (RFC 9112 3.2)", target("a/b"), .no(.targetForm)),
    Vector("a target cannot begin with ? (RFC 9112 3.2)", target("?a"), .no(.targetForm)),
    Vector("a backslash is not a slash (RFC 9112 3.2)", target("\\a"), .no(.targetForm)),

    Vector("absolute form is taken (RFC 9112 3.2.2)", target("http://b/c?d"), .yes("GET", "/c", query: "d", host: "b")),
    Vector("https is not served without TLS (RFC 9110 7.4)", target("https://b:8443/"), .no(.targetSecure)),
    Vector("HTTPS in capitals is not served without TLS (RFC 9110 4.2.3)", target("HTTPS://b/"), .no(.targetSecure)),
    Vector("a scheme is case-insensitive (RFC 9110 4.2.3)", target("HtTp://b/"), .yes(host: "b")),
    Vector("absolute form without a path means / (RFC 9110 4.2.3)", target("http://b"), .yes(host: "b")),
    Vector(
      "absolute form without a path may have a query (RFC 9110 4.2.3)", target("http://b?c"),
      .yes(query: "c", host: "b")),
    Vector("a query may hold slashes before any path", target("http://b?c/d"), .yes(query: "c/d", host: "b")),
    Vector("the authority may be an IPv6 address (RFC 3986 3.2.2)", target("http://[::1]:80/"), .yes(host: "[::1]:80")),
    Vector("user information is refused (RFC 9110 4.2.4)", target("http://u@b/"), .no(.targetUserinfo)),
    Vector("user information with a password is refused", target("http://u:p@b/"), .no(.targetUserinfo)),
    Vector("an @ in the path is not user information", target("http://b/@c"), .yes("GET", "/@c", host: "b")),
    Vector("an empty host is refused (RFC 9110 4.2.1)", target("http:///a"), .no(.targetAuthority)),
    Vector("a missing host is refused (RFC 9110 4.2.1)", target("http://"), .no(.targetAuthority)),
    Vector("a port without a host is refused (RFC 9110 4.2.1)", target("http://:80/"), .no(.targetAuthority)),
    Vector("a port that is not a number is refused (RFC 3986 3.2.3)", target("http://b:x/"), .no(.targetAuthority)),
    Vector("other schemes are refused (RFC 9110 4.2)", target("ftp://b/"), .no(.targetScheme)),
    Vector("a scheme needs its slashes (RFC 9110 4.2.1)", target("http:b"), .no(.targetAuthority)),
    Vector("host:port is not a target of a GET (RFC 9112 3.2.3)", target("b:80"), .no(.targetScheme)),
    Vector(
      "the Host field is needed beside absolute form (RFC 9112 3.2.2)", "GET http://b/ HTTP/1.1\r\n\r\n",
      .no(.hostMissing)),
    Vector(
      "the Host field must be well-formed beside absolute form", "GET http://b/ HTTP/1.1\r\nHost: a b\r\n\r\n",
      .no(.hostSyntax)),
    Vector(
      "absolute form names the host in HTTP/1.0 (RFC 9112 3.2.2)", "GET http://b/ HTTP/1.0\r\n\r\n",
      .yes(host: "b", persists: false)),

    Vector(
      "CONNECT takes host:port (RFC 9112 3.2.3)", target("b:443", "CONNECT"),
      .yes("CONNECT", "", persists: false)),
    Vector("CONNECT takes no origin form (RFC 9112 3.2.3)", target("/", "CONNECT"), .no(.connectTarget)),
    Vector("CONNECT takes no absolute form (RFC 9112 3.2.3)", target("http://b/", "CONNECT"), .no(.connectTarget)),
    Vector("CONNECT needs a port (RFC 9110 9.3.6)", target("b", "CONNECT"), .no(.connectTarget)),
    Vector("CONNECT needs the port's digits (RFC 9110 9.3.6)", target("b:", "CONNECT"), .no(.connectTarget)),
    Vector("CONNECT takes no port beyond 65535", target("b:65536", "CONNECT"), .no(.connectTarget)),
    Vector("CONNECT takes no user information", target("u@b:443", "CONNECT"), .no(.connectTarget)),
    Vector(
      "what follows a CONNECT is not read (RFC 9110 9.3.6)",
      "CONNECT b:443 HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello",
      .yes("CONNECT", "", persists: false)),

    Vector("OPTIONS takes * (RFC 9112 3.2.4)", target("*", "OPTIONS"), .yes("OPTIONS", "*")),
    Vector("OPTIONS takes a path as well", target("/a", "OPTIONS"), .yes("OPTIONS", "/a")),
    Vector("GET does not take * (RFC 9112 3.2.4)", target("*"), .no(.asteriskTarget)),
    Vector("* takes no query (RFC 9112 3.2.4)", target("*?a", "OPTIONS"), .no(.targetForm)),
    Vector("TRACE is parsed like any other (RFC 9110 9.3.8)", target("/", "TRACE"), .yes("TRACE")),
  ]
}

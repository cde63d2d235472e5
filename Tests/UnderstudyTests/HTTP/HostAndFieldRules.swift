extension Rule {
  private static func host(_ value: String, _ sentence: String) -> Rule {
    Rule("9112 3.2", .must, sentence, lines("GET /users/1 HTTP/1.1", "Host:" + value), [400], .closed)
  }

  private static func goodHost(_ value: String, _ sentence: String) -> Rule {
    Rule("9112 3.2", .must, sentence, lines("GET /users/1 HTTP/1.1", "Host:" + value), [200], .open)
  }

  static let hosts = [
    Rule("9112 3.2", .must, "1.1 without Host is 400", lines("GET / HTTP/1.1", "X: y"), [400], .closed),
    Rule("9112 3.2", .must, "two Hosts are 400", lines("GET / HTTP/1.1", "Host: a", "Host: b"), [400], .closed),
    Rule(
      "9112 3.2", .must, "two equal Hosts are 400", lines("GET / HTTP/1.1", "Host: a", "Host: a"), [400], .closed
    ),
    Rule(
      "9112 3.2", .must, "two Hosts are 400 in any case of the name", lines("GET / HTTP/1.1", "Host: a", "hOST: a"),
      [400],
      .closed),
    Rule(
      "9112 3.2", .must, "two Hosts are 400 in 1.0, too", lines("GET / HTTP/1.0", "Host: a", "Host: a"), [400], .closed),
    Rule(
      "9112 3.2", .must, "a malformed Host is 400 in 1.0, too", lines("GET / HTTP/1.0", "Host: a b"), [400], .closed),
    host(" ", "a Host of white space is invalid"), host("", "an empty Host is invalid"),
    host(" a b", "a Host has no space within"), host(" a/b", "a Host has no path"), host(" a?b", "nor a query"),
    host(" a#b", "nor a fragment"), host(" u@a", "nor user information"), host(" http://a", "nor a scheme"),
    host(" a,b", "nor a second name"), host(" a, a", "nor the same name twice"), host(" a:b", "a port is a number"),
    host(" a:-1", "a port has no sign"), host(" a:99999", "a port has sixteen bits"), host(" a:1:2", "a port is one"),
    host(" :80", "a port needs a host"), host(" [::1", "a bracket is closed"),
    host(" [::1]x", "nothing follows a bracket"),
    host(" [::g]", "an IPv6 address is hexadecimal"), host(" [1::2::3]", "it is shortened once"),
    host(" []", "a bracket is not empty"), host(" ::1", "an IPv6 address stands in brackets"),
    host(" a%2", "a percent sign has two digits"), host(" a\\b", "a backslash is not part of a name"),
    host(" a\"", "nor a quote"), host(" a\u{0}", "nor NUL"), host(" a\u{7F}", "nor DEL"),
    host(" \u{E9}", "nor raw Latin"),
    host(" a\u{C2}\u{A0}", "a no-break space is not white space"),
    host(" \u{E3}\u{80}\u{80}a", "nor an ideographic one"),
    host(" a\u{B}", "a vertical tab is not white space"), host(" a\u{C}", "nor a form feed"),
    goodHost("\tlocalhost\t ", "TAB and space around it are not of it"), goodHost("localhost", "it needs no space"),
    goodHost(" localhost:", "a port may be empty"), goodHost(" 127.0.0.1:80", "an IPv4 address is a host"),
    goodHost(" [::1]:80", "an IPv6 address is a host"), goodHost(" LOCALHOST", "letters are equal in every case"),
  ]

  static let fields = [
    Rule("9112 5", .must, "a field has a colon", lines("GET / HTTP/1.1", "Host: a", "X"), [400], .closed),
    Rule("9112 5", .must, "a field has a name", lines("GET / HTTP/1.1", "Host: a", ": x"), [400], .closed),
    Rule("9112 5.1", .must, "a space before the colon is 400", wire("GET", "/", "X : y"), [400], .closed),
    Rule("9112 5.1", .must, "a TAB before the colon is 400", wire("GET", "/", "X\t: y"), [400], .closed),
    Rule(
      "9112 5.1", .must, "a space in Transfer-Encoding's name is 400", chunks("0\r\n\r\n", "Transfer-Encoding : x"),
      [400], .closed),
    Rule(
      "9112 5.1", .must, "white space around a value is not part of it",
      wire("GET", "/users/1", "Connection:\t close \t"),
      [200], .closed),
    Rule("9112 5.2", .must, "a folded value is 400", wire("GET", "/", "X: a\r\n b"), [400], .closed),
    Rule("9112 5.2", .must, "a value folded by a TAB is 400", wire("GET", "/", "X: a\r\n\tb"), [400], .closed),
    Rule("9112 5.2", .must, "a folded empty line is 400", wire("GET", "/", "X: a\r\n "), [400], .closed),
    Rule(
      "9110 5.1", .must, "names are equal in every case", wire("GET", "/users/1", "cONNECTION: close"), [200], .closed),
    Rule(
      "9110 5.1", .must, "an unknown field is ignored", wire("GET", "/users/1", "X-Unknown: 1"), [200], .open),
    Rule("9110 5.1", .must, "a name is a token: no parenthesis", wire("GET", "/", "X(: y"), [400], .closed),
    Rule("9110 5.1", .must, "a name is a token: no octet beyond ASCII", wire("GET", "/", "X\u{E9}: y"), [400], .closed),
    Rule("9110 5.1", .must, "a name is a token: no NUL", wire("GET", "/", "X\u{0}: y"), [400], .closed),
    Rule(
      "9110 5.3", .must, "lines of one name are one list",
      wire("GET", "/users/1", "Connection: x", "Connection: close"), [200], .closed),
    Rule(
      "9110 5.4", .must, "more fields than are read are 4xx",
      wire("GET", "/", String(repeating: "X: y\r\n", count: 128) + "X: y"), [431], .closed),
    Rule(
      "9110 5.4", .must, "larger fields than are read are 4xx",
      wire("GET", "/", "X: " + String(repeating: "a", count: 33_000)), [431], .closed),
    Rule("9110 5.5", .must, "NUL in a value is refused", wire("GET", "/", "X: a\u{0}b"), [400], .closed),
    Rule("9110 5.5", .may, "other controls in a value are refused", wire("GET", "/", "X: a\u{8}b"), [400], .closed),
    Rule("9110 5.5", .may, "DEL in a value is refused", wire("GET", "/", "X: a\u{7F}b"), [400], .closed),
    Rule(
      "9110 5.5", .should, "octets beyond ASCII are opaque", wire("GET", "/users/1", "X: \u{E9}\u{FF}"), [200], .open),
    Rule("9110 5.5", .must, "a value may be empty", wire("GET", "/users/1", "X:"), [200], .open),
    Rule("9110 5.5", .must, "a TAB within a value is part of it", wire("GET", "/users/1", "X: a\tb"), [200], .open),
    Rule(
      "9110 5.6.1", .must, "empty elements of a list are ignored", wire("GET", "/users/1", "Connection: , ,\tclose ,"),
      [200], .closed),
    Rule(
      "9110 5.6.1", .must, "a list of empty elements is ignored", wire("GET", "/users/1", "Connection: , ,"), [200],
      .open),
    Rule("9110 5.6.1", .must, "an empty expectation is ignored", wire("GET", "/users/1", "Expect:"), [200], .open),
  ]
}

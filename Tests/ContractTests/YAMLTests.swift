import JSON
import Testing

@testable import Contract
@testable import ControlAPI

@Suite("The YAML writer")
struct YAMLTests {
  static let strings: [(text: String, yaml: String)] = [
    ("plain", "plain"), ("two words", "two words"), ("/devices/{id}", "/devices/{id}"), ("$ref", "$ref"),
    ("it's", "it's"), ("a:b", "a:b"), ("a#b", "a#b"), ("say \"x\"", "say \"x\""), ("a, b [c] & d", "a, b [c] & d"),
    ("", "''"), (" a", "' a'"), ("a ", "'a '"), ("a: b", "'a: b'"), ("a:", "'a:'"), ("a #b", "'a #b'"),
    ("yes", "'yes'"), ("No", "'No'"), ("ON", "'ON'"), ("off", "'off'"), ("y", "'y'"), ("N", "'N'"),
    ("true", "'true'"), ("False", "'False'"), ("null", "'null'"), ("NULL", "'NULL'"), ("~", "'~'"), ("none", "none"),
    ("200", "'200'"), ("0777", "'0777'"), ("0x1F", "'0x1F'"), ("1_000", "'1_000'"), ("1e3", "'1e3'"), ("-1", "'-1'"),
    (".5", "'.5'"), (".inf", "'.inf'"), (".NaN", "'.NaN'"), ("+1", "'+1'"), ("12:30:45", "'12:30:45'"),
    ("2019-11-29", "'2019-11-29'"), ("2023-06-22T15:13:34Z", "'2023-06-22T15:13:34Z'"), ("5XX", "'5XX'"),
    ("-", "'-'"), ("- a", "'- a'"), ("---", "'---'"), ("...", "'...'"), ("=", "'='"), ("<<", "'<<'"),
    ("? a", "'? a'"), ("[a]", "'[a]'"), ("{a}", "'{a}'"), ("#a", "'#a'"), ("&a", "'&a'"), ("*a", "'*a'"),
    ("!a", "'!a'"), ("|", "'|'"), ("> a", "'> a'"), ("%a", "'%a'"), ("@a", "'@a'"), ("`a`", "'`a`'"),
    ("'a'", "'''a'''"), ("\"a\"", "'\"a\"'"), ("^[0-9]+\\.[a-z]$", "'^[0-9]+\\.[a-z]$'"),
    ("Béchu", "\"Béchu\""), ("a\tb", "\"a\\tb\""), ("\r", "\"\\r\""), ("\u{0}\u{7F}", "\"\\x00\\x7F\""),
    ("\u{85}\u{2028}\u{FEFF}", "\"\\x85\\u2028\\uFEFF\""), ("😀\\", "\"\\U0001F600\\\\\""),
    ("\n", "\"\\n\""), ("\na", "\"\\na\""), (" a\nb", "\" a\\nb\""), ("a \nb", "\"a \\nb\""), ("a\nb ", "\"a\\nb \""),
    ("a\n\n", "\"a\\n\\n\""), ("a\r\nb", "\"a\\r\\nb\""), ("a\tb\nc", "\"a\\tb\\nc\""),
  ]

  @Test("quotes strings that some version of YAML would read as another type", arguments: strings)
  func quotes(text: String, yaml: String) {
    #expect(YAML.text(.string(text)) == yaml + "\n")
    #expect(YAML.text(.object(JSONValue.Object([JSONValue.Member(text, 0)]))) == yaml + ": 0\n")
  }

  static let blocks: [(text: String, yaml: String)] = [
    ("a\nb", "k: |-\n  a\n  b\n"), ("a\nb\n", "k: |\n  a\n  b\n"), ("a\n\n b: c\n", "k: |\n  a\n\n   b: c\n"),
    ("é\n# no comment\n---\n", "k: |\n  é\n  # no comment\n  ---\n"),
  ]

  @Test("writes texts of several lines as blocks", arguments: blocks)
  func writesBlocks(text: String, yaml: String) {
    #expect(YAML.text(["k": .string(text)]) == yaml)
  }

  static let numbers: [(json: String, yaml: String)] = [
    ("0", "0"), ("-12", "-12"), ("1.50", "1.50"), ("1e400", "1.0e+400"), ("-2.5E-3", "-2.5e-3"), ("1E+2", "1.0e+2"),
  ]

  @Test("writes numbers that are also numbers in YAML 1.1", arguments: numbers)
  func writesNumbers(json: String, yaml: String) throws {
    #expect(YAML.text(try JSONValue(parsing: json)) == yaml + "\n")
  }

  @Test("writes collections in block style, in their order")
  func laysOut() {
    let value: JSONValue = [
      "b": ["x": 1, "list": [true, nil, "no"]], "a": [], "o": [:],
      "nested": [["m": 1, "n": ["p": [:]]], [[1, 2], []], "one\ntwo"],
    ]
    let expected = """
      b:
        x: 1
        list:
          - true
          - null
          - 'no'
      a: []
      o: {}
      nested:
        - m: 1
          'n':
            p: {}
        - - - 1
            - 2
          - []
        - |-
          one
          two

      """
    #expect(YAML.text(value) == expected)
    #expect(YAML.text(["a"]) == "- a\n")
    #expect(YAML.text([:]) == "{}\n")
    #expect(YAML.text("a\nb") == "|-\n  a\n  b\n")
  }
}

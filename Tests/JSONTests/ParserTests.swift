import Testing

@testable import JSON

@Suite("The JSON parser")
struct ParserTests {
  static let accepted: [(text: String, value: JSONValue)] = [
    ("null", .null), ("true", true), ("false", false), ("\"\"", ""), ("[]", []), ("{}", [:]),
    (" \t\r\n[ 1 , 2 ] \n", [1, 2]),
    (#"{"b":1,"a":{"b":[]}}"#, ["b": 1, "a": ["b": []]]),
    (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"),
    (#""\u0000\u00e9\u20AC""#, "\u{0}é€"), (#""\ud83d\ude00""#, "😀"), ("\"é😀\u{7F}\"", "é😀\u{7F}"),
    (#"{"":0}"#, ["": 0]), (#"{"a":1,"A":2}"#, ["a": 1, "A": 2]),
  ]

  @Test("reads all texts that RFC 8259 allows", arguments: accepted)
  func accepts(text: String, value: JSONValue) throws {
    #expect(try JSONValue(parsing: text) == value)
  }

  static let refused: [(text: String, offset: Int, detail: String)] = [
    ("", 0, "the text is empty"), (" \n", 2, "the text is empty"),
    ("n", 1, "expected null"), ("nine", 0, "a value cannot start here"),
    ("[true, tall]", 7, "a value cannot start here"), ("[trust]", 4, "expected true"),
    ("nul", 3, "expected null"), ("True", 0, "a value cannot start here"), ("nullx", 4, Self.more),
    ("1 2", 2, Self.more), ("{}}", 2, Self.more),
    ("[1,]", 2, "remove this comma: nothing follows it before ]"), ("[1 2]", 3, "expected , or ] in an array"),
    ("[", 1, "the text ends where a value is expected"), ("[1", 2, "expected , or ] in an array"),
    (#"{"a":1,}"#, 6, "remove this comma: nothing follows it before }"),
    ("{a:1}", 1, Self.name), ("{'a':1}", 1, Self.name),
    (#"{"a" 1}"#, 5, "expected : after a member's name"), (#"{"a":}"#, 5, "a value cannot start here"),
    (#"{"a":1"#, 6, "expected , or } in an object"),
    (#"{"a":1,"b":2,"a":3}"#, 16, #"the name "a" occurs twice in one object"#),
    (#"{"a":1,"\u0061":3}"#, 15, #"the name "a" occurs twice in one object"#),
    ("01", 1, Self.more), ("-", 1, Self.digit), ("+1", 0, "a value cannot start here"), ("1.", 2, Self.digit),
    (".5", 0, "a value cannot start here"), ("1e", 2, Self.digit), ("1e+", 3, Self.digit), ("0x10", 1, Self.more),
    ("NaN", 0, "a value cannot start here"), ("-Infinity", 1, Self.digit),
    ("\"a", 2, "the text ends inside a string"), ("\"\\", 2, "the text ends inside a string"),
    (#""\x""#, 3, #"\x is not an escape sequence"#), (#""\u12g4""#, 5, Self.hexadecimal),
    (#""\u12"#, 5, Self.hexadecimal),
    ("\"a\nb\"", 2, Self.control), ("\"\u{0}\"", 1, Self.control), ("\"\\n\t\"", 3, Self.control),
    (#""\ud83d""#, 7, Self.surrogate), (#""\ude00""#, 7, Self.surrogate), (#""\ud83dx""#, 7, Self.surrogate),
    (#""\ud83d\n""#, 8, Self.surrogate), (#""\ud83d\u0041""#, 13, Self.surrogate),
    ("\u{FEFF}{}", 0, "there is a byte order mark before the value; JSON must be sent without one"),
    ("// c\n1", 0, "a value cannot start here"),
  ]
  private static let more = "there is text after the end of the JSON value"
  private static let name = "expected a member's name in double quotes"
  private static let digit = "expected a digit"
  private static let hexadecimal = "\\u needs four hexadecimal digits"
  private static let control = "a control character in a string must be escaped"
  private static let surrogate = "a surrogate without its pair is not a character"

  @Test("refuses an invalid text with the offset and the reason", arguments: refused)
  func refuses(text: String, offset: Int, detail: String) {
    #expect(throws: JSONSyntaxError(offset: offset, detail: detail)) { try JSONValue(parsing: text) }
  }

  @Test(
    "refuses strings that are not UTF-8",
    arguments: [
      [0x80], [0xC3], [0xC0, 0xAF], [0xE0, 0x80, 0xAF], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xFF],
      [0xF0, 0x9F, 0x98], [0xE2, 0x82, 0x41],
    ])
  func refusesBrokenText(bytes: [UInt8]) {
    let quote = UInt8(ascii: "\"")
    let plain = [quote] + bytes + [quote]
    #expect(throws: JSONSyntaxError(offset: bytes.count + 1, detail: "a string is not valid UTF-8")) {
      try JSONValue(parsing: plain)
    }
    #expect(throws: JSONSyntaxError.self) { try JSONValue(parsing: [quote] + Array("\\n".utf8) + bytes + [quote]) }
    #expect(throws: JSONSyntaxError.self) { try JSONValue(parsing: bytes) }
  }

  @Test("accepts U+FFFD, which is also what repairing UTF-8 would write")
  func keepsReplacementCharacter() throws {
    #expect(try JSONValue(parsing: "\"\u{FFFD}\"") == "\u{FFFD}")
  }

  @Test("accepts 128 levels of nesting and no more, however deep the text is")
  func boundsNesting() throws {
    let deepest = String(repeating: "[", count: 128) + String(repeating: "]", count: 128)
    #expect(try JSONValue(parsing: deepest).text == deepest)
    let tooDeep = JSONSyntaxError(offset: 128, detail: "the value is nested deeper than 128 levels")
    #expect(throws: tooDeep) { try JSONValue(parsing: "[" + deepest + "]") }
    #expect(throws: tooDeep) { try JSONValue(parsing: String(repeating: "[", count: 100_000)) }
    #expect(throws: JSONSyntaxError(offset: 640, detail: tooDeep.detail)) {
      try JSONValue(parsing: String(repeating: "{\"a\":", count: 100_000))
    }
  }

  @Test("limits the depth, and not the number of containers")
  func countsNesting() throws {
    let flat = "[" + Array(repeating: "[]", count: 1_000).joined(separator: ",") + "]"
    #expect(try JSONValue(parsing: flat).array?.count == 1_000)
  }

  @Test("refuses a repeated name among many")
  func findsRepeatedName() throws {
    let names = (0..<100).map { "\"n\($0)\":0" }
    #expect(try JSONValue(parsing: "{" + names.joined(separator: ",") + "}").object?.members.count == 100)
    let repeated = "{" + (names + ["\"n7\":0"]).joined(separator: ",") + "}"
    #expect(throws: JSONSyntaxError.self) { try JSONValue(parsing: repeated) }
  }

  @Test("reports offsets relative to the beginning of a slice")
  func readsSlices() throws {
    let bytes = Array("xx[1]yy".utf8)
    #expect(try JSONValue(parsing: bytes[2..<5]) == [1])
    #expect(throws: JSONSyntaxError(offset: 3, detail: Self.more)) { try JSONValue(parsing: bytes[2...]) }
  }
}

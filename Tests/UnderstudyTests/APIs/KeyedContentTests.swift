import JSON
import Testing

@testable import Services
@testable import Understudy

@Suite("The contents of two requests with one Idempotency-Key")
struct KeyedContentTests {
  private static let form = Array("application/x-www-form-urlencoded; charset=utf-8".utf8)[...]

  private static func body(_ text: String, isForm: Bool = false) -> KeyedContent {
    KeyedContent(body: Array(text.utf8)[...], type: isForm ? form : nil, coding: nil)
  }

  /// Content in two parts, the first of which has this number of bytes.
  private static func parts(_ boundary: String, _ first: Character, _ count: Int = 1) -> String {
    let text = String(repeating: first, count: count)
    return "--\(boundary)\r\n\r\n\(text)--\r\n--\(boundary)\r\n\r\nb\r\n--\(boundary)--\r\n"
  }

  private static func upload(_ boundary: String, _ first: Character = "a", _ count: Int = 1) -> KeyedContent {
    KeyedContent(
      body: Array(parts(boundary, first, count).utf8)[...],
      type: Array("multipart/form-data; boundary=\"\(boundary)\"".utf8)[...], coding: nil)
  }

  @Test("in several parts are equal whatever stands between these", arguments: [1, 100_000])
  func parts(count: Int) {
    let one = Self.upload("one", "a", count)
    #expect(one.digest == Self.upload("a-longer-one", "a", count).digest)
    #expect(one.digest != Self.upload("one", "c", count).digest)
  }

  @Test(
    "in several parts are equal however the boundary is declared",
    arguments: ["boundary=two ; charset=utf-8", "charset=utf-8;BOUNDARY=\"two\"", "xboundary=one; boundary=two"])
  func boundaries(parameters: String) {
    let content = KeyedContent(
      body: Array(Self.parts("two", "a").utf8)[...], type: Array("multipart/form-data; \(parameters)".utf8)[...],
      coding: nil)
    #expect(content.digest == Self.upload("one").digest)
  }

  @Test("in lines of JSON, or compressed at another time, are equal by what they hold")
  func linesAndCompressed() {
    func content(_ bytes: [UInt8], _ type: String?, coding: String? = nil) -> KeyedContent {
      KeyedContent(body: bytes[...], type: type.map { Array($0.utf8)[...] }, coding: coding.map { Array($0.utf8)[...] })
    }
    let lines = [#"{"a":1,"b":2}"# + "\n[1]", #"{ "b":2.0,"a":1}"# + "\r\n[ 1 ]\n"].map {
      content(Array($0.utf8), "application/x-ndjson")
    }
    #expect(lines[0].digest == lines[1].digest)
    func compressed(at time: UInt8, _ checksum: UInt8) -> KeyedContent {
      content([0x1F, 0x8B, 8, 0, time, 0, 0, 0, 0, 3, 0x4B, 4, 0, checksum, 0, 0, 0, 1, 0, 0, 0], nil, coding: "gzip")
    }
    #expect(compressed(at: 1, 7).digest == compressed(at: 2, 7).digest)
    #expect(compressed(at: 1, 7).digest != compressed(at: 1, 8).digest)
  }

  @Test(
    "are equal if they are the same JSON value, however it was written",
    arguments: [
      (#"{"name":"Ljerka","seats":{"a":1,"b":2}}"#, #"{ "seats" : {"b":2, "a":1}, "name":"Ljerka" }"#),
      (#"{"a":1}"#, #"{"a":1.0}"#), (#"{"a":100}"#, #"{"a":1e2}"#), (#"{"a":0.10}"#, #"{"a":1E-1}"#),
      (#"{"a":-0}"#, #"{"a":0.0}"#), (#"["é","/"]"#, #"["\u00e9","\/"]"#), ("null", " null\n"),
    ])
  func sameJSON(first: String, second: String) {
    #expect(Self.body(first).digest == Self.body(second).digest)
    #expect(Self.body(first).mayEqual(Self.body(second)))
    #expect(Self.body(first, isForm: true).digest == Self.body(second).digest, "the type says nothing about JSON")
  }

  @Test(
    "are different if the values differ",
    arguments: [
      (#"{"a":1}"#, #"{"a":"1"}"#), (#"[1,2]"#, #"[2,1]"#), (#"{"a":null}"#, "{}"), ("", "{}"),
      (#"{"a":1}"#, #"{"a":10}"#),
      (#"{"id":9007199254740993}"#, #"{"id":9007199254740992}"#), (#"{"a":1}"#, #"{"a":-1}"#), ("[1]", "[[1]]"),
      (#"{"a":"é"}"#, #"{"a":"e\u0301"}"#), ("{a:1}", "{ a:1}"), (#"{"a":1,"a":1}"#, #"{"a":1}"#),
      ("1e99999999999", "1e99999999998"), (#"["1e0"]"#, "[1]"),
    ])
  func otherJSON(first: String, second: String) {
    #expect(Self.body(first).digest != Self.body(second).digest)
    #expect(!Self.body(first).mayEqual(Self.body(second)))
  }

  @Test("of a query or a form are sets of pairs, however these are encoded")
  func pairs() {
    let (first, second) = ("name=Living+Room&q=%C3%A9&q=2", "q=2&q=é&q=2&name=Living%20Room")
    #expect(KeyedContent(query: Array(first.utf8)[...]).digest == KeyedContent(query: Array(second.utf8)[...]).digest)
    #expect(Self.body(first, isForm: true).digest == Self.body(second, isForm: true).digest)
    #expect(Self.body(first).digest != Self.body(second).digest, "without the type, it is no form")
    #expect(Self.body("a=b&c=d", isForm: true).digest != Self.body("a=d&c=b", isForm: true).digest)
    #expect(Self.body("a=b", isForm: true).digest != Self.body("a=b&a=c", isForm: true).digest)
  }

  @Test("are taken for equal while both are long, and then compared by their digests")
  func long() {
    let blanks = String(repeating: " ", count: Call.maximumShortBody)
    let (first, second) = (Self.body(blanks + "1"), Self.body(blanks + "2"))
    #expect(first.mayEqual(second) && first.digest != second.digest)
    #expect(first.digest == Self.body("1").digest)
  }
}

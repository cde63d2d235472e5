import JSON
import Testing

@testable import Services
@testable import Understudy

@Suite("The contents of two requests with one Idempotency-Key")
struct KeyedContentTests {
  private static let form = Array("application/x-www-form-urlencoded; charset=utf-8".utf8)[...]

  private static func body(_ text: String, isForm: Bool = false) -> KeyedContent {
    KeyedContent(body: Array(text.utf8)[...], contentType: isForm ? form : nil)
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

import Testing

@testable import JSON

@Suite("The JSON writer")
struct WriterTests {
  @Test(
    "writes a value as it was read",
    arguments: [
      "null", "true", "[]", "{}", "[[],{}]", #"{"b":1,"a":[1.0,"é",null]}"#, #""\u0000\b\t\n\f\r\u001f\"\\/""#,
      "\"\u{7F}\u{2028}\u{2029}😀\"",
    ])
  func roundTrips(text: String) throws {
    let value = try JSONValue(parsing: text)
    #expect(value.text == text)
    #expect(try JSONValue(parsing: value.bytes(.indented)) == value)
  }

  @Test("escapes each control character, even if it is the only character", arguments: UInt8(0)..<0x20)
  func escapesControls(code: UInt8) throws {
    let value = JSONValue.string(String(Unicode.Scalar(code)))
    #expect(value.text.hasPrefix("\"\\") && value.text.utf8.allSatisfy { $0 >= 0x20 })
    #expect(try JSONValue(parsing: value.text) == value)
  }

  @Test("indents like JSON.stringify(value, null, 2)")
  func indents() {
    let value: JSONValue = ["a": 1, "empty": [:], "none": [], "list": [1, ["b": nil], []], "text": "x\ny"]
    let expected = """
      {
        "a": 1,
        "empty": {},
        "none": [],
        "list": [
          1,
          {
            "b": null
          },
          []
        ],
        "text": "x\\ny"
      }
      """
    #expect(String(decoding: value.bytes(.indented), as: UTF8.self) == expected)
  }

  @Test("keeps the order of members when one is replaced, removed or added")
  func keepsOrder() {
    var object = JSONValue.Object([JSONValue.Member("b", 1), JSONValue.Member("a", 2), JSONValue.Member("c", 3)])
    object["a"] = "two"
    object["b"] = nil
    object["missing"] = nil
    object["d"] = .null
    #expect(JSONValue.object(object).text == #"{"a":"two","c":3,"d":null}"#)
  }
}

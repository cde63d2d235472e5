import Testing

@testable import JSON

@Suite("JSON pointers")
struct PointerTests {
  static let names: [(name: String, text: String)] = [
    ("a", "/a"), ("", "/"), ("a/b", "/a~1b"), ("m~n", "/m~0n"), ("~1", "/~01"), ("/~/", "/~1~0~1"), ("é ", "/é "),
  ]

  @Test("escape ~ and / in names, in that order", arguments: names)
  func escape(name: String, text: String) {
    #expect((JSONPointer.root / name).description == text)
  }

  @Test("are extended by names and indices")
  func grow() {
    #expect(JSONPointer.root.description.isEmpty)
    #expect((JSONPointer.root / "rooms" / 0 / "name").description == "/rooms/0/name")
  }
}

@Suite("A JSON merge patch")
struct MergePatchTests {
  /// The table of RFC 7396 appendix A.
  static let appendix: [(original: String, patch: String, result: String)] = [
    (#"{"a":"b"}"#, #"{"a":"c"}"#, #"{"a":"c"}"#),
    (#"{"a":"b"}"#, #"{"b":"c"}"#, #"{"a":"b","b":"c"}"#),
    (#"{"a":"b"}"#, #"{"a":null}"#, #"{}"#),
    (#"{"a":"b","b":"c"}"#, #"{"a":null}"#, #"{"b":"c"}"#),
    (#"{"a":["b"]}"#, #"{"a":"c"}"#, #"{"a":"c"}"#),
    (#"{"a":"c"}"#, #"{"a":["b"]}"#, #"{"a":["b"]}"#),
    (#"{"a":{"b":"c"}}"#, #"{"a":{"b":"d","c":null}}"#, #"{"a":{"b":"d"}}"#),
    (#"{"a":[{"b":"c"}]}"#, #"{"a":[1]}"#, #"{"a":[1]}"#),
    (#"["a","b"]"#, #"["c","d"]"#, #"["c","d"]"#),
    (#"{"a":"b"}"#, #"["c"]"#, #"["c"]"#),
    (#"{"a":"foo"}"#, "null", "null"),
    (#"{"a":"foo"}"#, #""bar""#, #""bar""#),
    (#"{"e":null}"#, #"{"a":1}"#, #"{"e":null,"a":1}"#),
    ("[1,2]", #"{"a":"b","c":null}"#, #"{"a":"b"}"#),
    ("{}", #"{"a":{"bb":{"ccc":null}}}"#, #"{"a":{"bb":{}}}"#),
  ]

  @Test("has the results of the RFC's appendix", arguments: appendix)
  func merges(original: String, patch: String, result: String) throws {
    #expect(try JSONValue(parsing: original).merging(JSONValue(parsing: patch)).text == result)
  }
}

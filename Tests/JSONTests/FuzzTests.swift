import LiveTesting
import Testing

@testable import JSON

@Suite("Mutated JSON")
struct FuzzTests {
  private static let corpus = [
    #"{"id":"WWM-0001-12","installationDate":null,"n":[1,-0.5e+7,12345678901234567890],"ok":true}"#,
    #"[{"a":{"b":[[],{},"\u00e9\ud83d\ude00\n\"\\\/"]}},false,"é😀"]"#, #" { "seed" : 9007199254740991 } "#, "\"\"",
    "-0",
  ].map { Array($0.utf8) }
  private static let dictionary =
    [
      "{", "}", "[", "]", "\"", "\\", ":", ",", "\\u", "\\ud800", "\\udc00", "\\u0000", "1e999", "-", "0", ".", "null",
      "tru",
      "\u{0}", "\u{1F}", "\u{7F}", "{\"a\":", "[[[[[[[[", "\"a\":1,", " \n\t\r", "\u{FEFF}", "e\u{301}",
    ].map { Array($0.utf8) } + [[0x80], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF5], [0xFF], [0xE2, 0x82]]

  @Test("an invalid text is refused with an offset inside it, and a valid one reads back as the same value")
  func texts() {
    Fuzz("JSON", rounds: 5_000).run { random, note in
      var bytes = Self.corpus.randomElement(using: &random) ?? []
      random.mutate(&bytes, dictionary: Self.dictionary)
      // The position of the text within a larger buffer makes no difference.
      let around = Array("[1,".utf8) + bytes + Array("]".utf8)
      let slice = around[3..<3 + bytes.count]
      do throws(JSONSyntaxError) {
        let json = try JSONValue(parsing: bytes)
        let written = json.bytes()
        #expect(try JSONValue(parsing: written).bytes() == written, "\(note): \(bytes)")
        #expect(try JSONValue(parsing: json.bytes(.indented)).bytes() == written, "\(note): \(bytes)")
        #expect(try JSONValue(parsing: slice) == json, "\(note): \(bytes)")
      } catch {
        #expect((0...bytes.count).contains(error.offset) && !error.detail.isEmpty, "\(note): \(bytes)")
        #expect(throws: error, "\(note): \(bytes)") { try JSONValue(parsing: slice) }
      }
    }
  }

  @Test("a merge patch has the same result when it is applied twice (RFC 7396)")
  func patches() throws {
    let dictionary: [JSONValue] = [nil, 0, true, "", [:], [], ["a": nil], ["a": ["b": nil]], "id"]
    let documents = try Self.corpus.map { bytes in try JSONValue(parsing: bytes) }
    Fuzz("merge patches", rounds: 2_000).run { random, note in
      let document = documents.randomElement(using: &random) ?? nil
      var patch = random.mutated(document, dictionary: dictionary)
      patch = random.mutated(patch, dictionary: dictionary)
      let once = document.merging(patch)
      #expect(once.merging(patch) == once, "\(note): \(patch.text) on \(document.text)")
    }
  }
}

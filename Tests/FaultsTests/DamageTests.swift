import Faults
import JSON
import Testing

@Suite("A fault that changes the response")
struct DamageTests {
  static let bodies = [
    "[]", "{}", "[1]", #"{"a":1}"#, #""é😀""#, "0", "12", "true", "null", " [ 1 , 2 ] \n", #"{"a":{"b":[]},"c":""}"#,
    #"[{"id":"WWM-0001-12","isArchived":false,"note":"naïve \" , ]"},{"id":"WWM-0002-12","isArchived":true}]"#,
  ]

  @Test("corrupts JSON so that no strict parser reads it, for every draw", arguments: bodies)
  func corrupt(body: String) throws {
    for draw in draws(2_000) {
      let corrupted = try #require(Corrupt.corrupted(Array(body.utf8), draw: draw))
      #expect(throws: JSONSyntaxError.self) { try JSONValue(parsing: corrupted.bytes) }
      #expect(Corrupt.corrupted(Array(body.utf8), draw: draw)?.bytes == corrupted.bytes)
    }
  }

  @Test("says where a corrupt body was changed")
  func corruptPlaces() throws {
    let body = Array(#"{"a":[1,2,3]}"#.utf8)
    for draw in draws(200) {
      let corrupted = try #require(Corrupt.corrupted(body, draw: draw))
      let place = zip(body, corrupted.bytes).enumerated().first { $1.0 != $1.1 }?.offset ?? corrupted.bytes.count
      let expected =
        corrupted.bytes.count < body.count
        ? "cut at byte \(place)"
        : corrupted.bytes.count > body.count
          ? "an extra comma at byte \(place)" : "a control character at byte \(place)"
      #expect(corrupted.change == expected)
    }
  }

  @Test("says which member drifted, and how")
  func driftWords() throws {
    let json = try JSONValue(parsing: #"{"rooms":[{"is_open":true}]}"#)
    #expect(
      Set(draws(500).map { Drift.drifted(json, draw: $0).change }) == [
        #""rooms" is missing"#, #""rooms" is named "rooms_v2""#, #""rooms" is an object instead of an array"#,
        #""rooms.is_open" is missing"#, #""rooms.is_open" is named "isOpen""#,
        #""rooms.is_open" is a string instead of a boolean"#,
      ])
    #expect(Drift.drifted([1], draw: 1).change == "an object instead of an array")
  }

  @Test("corrupts in more than one way")
  func corruptWays() throws {
    let body = Array(#"{"a":[1,2,3]}"#.utf8)
    let lengths = Set(draws(200).compactMap { Corrupt.corrupted(body, draw: $0)?.bytes.count })
    #expect(lengths.contains(body.count) && lengths.contains(body.count + 1) && lengths.contains(1))
  }

  @Test("leaves an empty body alone", arguments: ["", " \n"])
  func corruptNothing(body: String) { #expect(Corrupt.corrupted(Array(body.utf8), draw: 1) == nil) }

  @Test("removes a member instead of renaming it to a name that is present, so that no name is repeated")
  func driftWithoutDoubles() throws {
    let json = try JSONValue(parsing: #"{"is_a":1,"isA":2}"#)
    let drifted = Set(draws(500).map { Drift.drifted(json, draw: $0).json.text })
    #expect(drifted.contains(#"{"isA":2}"#) && drifted.contains(#"{"is_a":1}"#))
    for text in drifted { #expect(throws: Never.self) { try JSONValue(parsing: text) } }
  }

  @Test("replaces JSON by different, valid JSON with `drift`", arguments: bodies)
  func drift(body: String) throws {
    let json = try JSONValue(parsing: body)
    for draw in draws(500) {
      let drifted = Drift.drifted(json, draw: draw).json
      #expect(drifted != json)
      #expect(try JSONValue(parsing: drifted.bytes()) == drifted)
      #expect(Drift.drifted(json, draw: draw).json == drifted)
    }
  }

  @Test("removes, renames and retypes members with `drift`, in the same way in all elements")
  func driftWays() throws {
    let json = try JSONValue(parsing: #"{"rooms":[{"is_open":true,"id":1},{"is_open":false,"id":2}]}"#)
    let drifted = Set(draws(500).map { Drift.drifted(json, draw: $0).json.text })
    let expected: Set<String> = [
      #"{}"#, #"{"rooms_v2":[{"is_open":true,"id":1},{"is_open":false,"id":2}]}"#,
      #"{"rooms":{"items":[{"is_open":true,"id":1},{"is_open":false,"id":2}]}}"#,
      #"{"rooms":[{"id":1},{"id":2}]}"#, #"{"rooms":[{"isOpen":true,"id":1},{"isOpen":false,"id":2}]}"#,
      #"{"rooms":[{"is_open":"yes","id":1},{"is_open":"no","id":2}]}"#,
      #"{"rooms":[{"is_open":true},{"is_open":false}]}"#,
      #"{"rooms":[{"is_open":true,"id_v2":1},{"is_open":false,"id_v2":2}]}"#,
      #"{"rooms":[{"is_open":true,"id":"1"},{"is_open":false,"id":"2"}]}"#,
    ]
    #expect(drifted == expected)
  }

  @Test("sends bytes with `garbage` that are not the beginning of a status line")
  func garbage() {
    for draw in draws(200) {
      let bytes = Garbage.bytes(draw)
      #expect(bytes.count == 64)
      #expect(bytes.allSatisfy { $0 >= 0x80 })
    }
    #expect(Garbage.bytes(1) != Garbage.bytes(2))
  }

  @Test("breaks a chunked body after a valid half, in three ways", arguments: ["", "a", "hello, world"])
  func badChunk(body: String) {
    let bytes = Array(body.utf8)
    let coded = Set(draws(60).map { BadChunk.coded(bytes, draw: $0) })
    #expect(coded.count == 3)
    for coded in coded { #expect(!Self.isSound(coded)) }
  }

  /// Returns true if the chunks are valid by RFC 9112 section 7.1, without extensions and trailers.
  private static func isSound(_ bytes: [UInt8]) -> Bool {
    var rest = bytes[...]
    func line() -> String? {
      guard let end = rest.firstIndex(of: 0x0D), rest.dropFirst(end - rest.startIndex + 1).first == 0x0A else {
        return nil
      }
      defer { rest = rest[(end + 2)...] }
      return String(decoding: rest[..<end], as: UTF8.self)
    }
    while let size = line().flatMap({ Int($0, radix: 16) }), size >= 0 {
      guard size > 0 else { return line() == "" && rest.isEmpty }
      guard rest.count >= size else { return false }
      rest = rest.dropFirst(size)
      guard line() == "" else { return false }
    }
    return false
  }

  @Test("is undeliverable where the response has no part that it could change")
  func deliverable() {
    func obstacle(
      _ action: FaultAction, bodyBytes: Int, hasChunks: Bool, isStream: Bool = false
    ) -> UndeliverableReason? {
      Plan(.ordinal(1), Fault(action, changes: false))
        .obstacle(bodyBytes: bodyBytes, hasChunks: hasChunks, isStream: isStream)
    }
    for action in [FaultAction.ending(.truncate(at: .half)), .ending(.stall(at: .half, Hold())), .damage(.corrupt)] {
      #expect(obstacle(action, bodyBytes: 1, hasChunks: false) == nil)
      #expect(obstacle(action, bodyBytes: 0, hasChunks: true) == .missingBody)
    }
    #expect(obstacle(.ending(.badChunk), bodyBytes: 1, hasChunks: true) == nil)
    #expect(obstacle(.ending(.badChunk), bodyBytes: 0, hasChunks: true) == .missingBody)
    #expect(obstacle(.ending(.badChunk), bodyBytes: 9, hasChunks: false) == .noChunks)
    #expect(obstacle(.ending(.reset), bodyBytes: 0, hasChunks: false) == nil)
    #expect(obstacle(.ending(.truncate(afterEvents: 1)), bodyBytes: 9, hasChunks: true) == .noStream)
    #expect(obstacle(.ending(.truncate(afterEvents: 1)), bodyBytes: 9, hasChunks: true, isStream: true) == nil)
    #expect(Plan.none.obstacle(bodyBytes: 0, hasChunks: false, isStream: false) == nil)
  }

  @Test("sends an HTML page with `captive-portal`")
  func captivePortal() {
    #expect(CaptivePortal.page.hasPrefix("<!DOCTYPE html>"))
    #expect(CaptivePortal.page.hasSuffix("</html>\n"))
  }
}

import Testing

@testable import Report

@Suite("The likeness of two writes")
struct LikenessTests {
  @Test(
    "is the same if they differ by a time or a random id alone",
    arguments: [
      (#"{"at":"2026-05-05T05:05:05Z"}"#, #"{"at":"2026-05-05T05:05:09Z"}"#),
      (#"{"at":"2026-05-05T05:05:05.123Z"}"#, #"{"at":"2026-05-05T05:05:06.98Z"}"#),
      (#"{"at":"2026-05-05T05:05:05.123456+02:00"}"#, #"{"at":"2026-05-05T05:05:05.2+02:00"}"#),
      (#"{"at":"2026-05-05T05:05:05.123-05:00"}"#, #"{"at":"2026-05-05T05:05:07-05:00"}"#),
      // Numbers as `JSONValue.meaning` has them: seconds, with a fraction, milliseconds, microseconds and nanoseconds.
      (#"{"at":17643744e2}"#, #"{"at":1764374401e0}"#),
      (#"{"at":1764374400123e-3}"#, #"{"at":176437440198e-2}"#),
      (#"{"at":17643744e5}"#, #"{"at":1764374400123e0}"#),
      (#"{"at":1764374400123456e0}"#, #"{"at":1764374400123457e0}"#),
      (#"{"at":1764374400123456789e0}"#, #"{"at":17643744001234568e2}"#),
      ("at=1764374400.123&sku=7", "at=1764374401.9&sku=7"),
      ("id=3f2504e0-4f89-41d3-9a0c-0305e82c3301", "id=9b2e7f10-7c1b-4a1e-8d0f-1234567890ab"),
    ])
  func isEqual(first: String, second: String) {
    #expect(Likeness.hash(of: Array(first.utf8)) == Likeness.hash(of: Array(second.utf8)))
  }

  @Test(
    "is another if they differ by anything else",
    arguments: [
      (#"{"sku":7e0}"#, #"{"sku":8e0}"#),
      (#"{"price":17643744e0}"#, #"{"price":17643745e0}"#),
      (#"{"at":"2026-05-05"}"#, #"{"at":"2026-05-06"}"#),
      (#"{"count":1e9223372036854775807}"#, #"{"count":1e0}"#),
      ("version=1.20", "version=1.21"),
      (#"{"at":"2026-05-05T05:05:05.123Z","sku":7e0}"#, #"{"at":"2026-05-05T05:05:05.123Z","sku":8e0}"#),
    ])
  func isOther(first: String, second: String) {
    #expect(Likeness.hash(of: Array(first.utf8)) != Likeness.hash(of: Array(second.utf8)))
  }
}

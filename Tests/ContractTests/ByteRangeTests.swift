import Testing

@testable import Contract

@Suite("Byte ranges")
struct ByteRangeTests {
  @Test(
    "a range selects those of its bytes that exist",
    arguments: [
      ("bytes=0-0", 0..<1), ("bytes=0-99", 0..<100), ("bytes=90-", 90..<100), ("bytes=99-99", 99..<100),
      ("bytes=90-1000", 90..<100), ("bytes=-1", 99..<100), ("bytes=-1000", 0..<100), ("Bytes=5-6", 5..<7),
      ("bytes=0-99999999999999999999", 0..<100), ("bytes= 1-2 ", 1..<3),
    ])
  func part(text: String, range: Range<Int>) {
    #expect(ByteRange(parsing: text, of: 100) == .part(range))
  }

  @Test(
    "a range after the end, or of no bytes, cannot be satisfied",
    arguments: ["bytes=100-", "bytes=100-200", "bytes=-0", "bytes=99999999999999999999-"])
  func unsatisfiable(text: String) {
    #expect(ByteRange(parsing: text, of: 100) == .unsatisfiable)
  }

  @Test(
    "an invalid field, another unit and several ranges are ignored",
    arguments: [
      "", "bytes", "bytes=", "bytes=-", "bytes=5-4", "bytes=a-b", "bytes=1-2,5-6", "bytes=+1-2", "bytes=1--2",
      "pages=1-2", "bytes 0-1", "bytes=0 -1",
    ])
  func ignored(text: String) {
    #expect(ByteRange(parsing: text, of: 100) == .whole)
  }

  @Test("an empty representation has no range")
  func empty() {
    #expect(ByteRange(parsing: "bytes=0-", of: 0) == .unsatisfiable)
    #expect(ByteRange(parsing: "bytes=-5", of: 0) == .unsatisfiable)
  }
}

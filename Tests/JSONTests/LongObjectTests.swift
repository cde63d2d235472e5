import JSON
import Testing

@Suite("Objects with very many members")
struct LongObjectTests {
  private static let count = 200_000

  private static func object(_ value: JSONValue, from first: Int = 0) -> JSONValue {
    .object(JSONValue.Object((first..<first + count).map { JSONValue.Member("k\($0)", value) }))
  }

  // A quadratic merge would need 40,000,000,000 comparisons, which takes hours.
  @Test("are merged in time proportional to their members", .timeLimit(.minutes(15)))
  func merge() {
    let half = Self.count / 2
    let merged = Self.object(1).merging(Self.object(2, from: half))
    #expect(merged.object?.members.count == Self.count + half)
    #expect(merged.object?.members.first == JSONValue.Member("k0", 1))
    #expect(merged.object?.members.last == JSONValue.Member("k\(Self.count + half - 1)", 2))
    #expect(Self.object(1).merging(Self.object(nil, from: half)).object?.members.count == half)
  }

  @Test(
    "are merged in order, like small ones: a member that is removed and added again comes last", arguments: [3, 40])
  func asFew(count: Int) {
    var long = JSONValue.Object((0..<count).map { JSONValue.Member("k\($0)", .int($0)) })
    var short = long
    let changes = [
      JSONValue.Member("k1", nil), JSONValue.Member("new", 1), JSONValue.Member("k2", 7), JSONValue.Member("k1", 8),
      JSONValue.Member("none", nil),
    ]
    for change in changes { short[change.name] = change.value == .null ? Optional.none : change.value }
    long.apply(changes, merging: true)
    #expect(long == short)
  }
}

import JSON
import Testing

@Suite("Objects with very many members")
struct LongObjectTests {
  private static let count = 200_000

  private static func object(_ value: JSON, from first: Int = 0) -> JSON {
    .object(JSON.Object((first..<first + count).map { JSON.Member("k\($0)", value) }))
  }

  // A quadratic merge would need 40,000,000,000 comparisons, which takes hours.
  @Test("are merged in time proportional to their members", .timeLimit(.minutes(1)))
  func merge() {
    let half = Self.count / 2
    let merged = Self.object(1).merging(Self.object(2, from: half))
    #expect(merged.object?.members.count == Self.count + half)
    #expect(merged.object?.members.first == JSON.Member("k0", 1))
    #expect(merged.object?.members.last == JSON.Member("k\(Self.count + half - 1)", 2))
    #expect(Self.object(1).merging(Self.object(nil, from: half)).object?.members.count == half)
  }

  @Test("are merged as the few are: in order, what is removed and named again comes last", arguments: [3, 40])
  func asFew(count: Int) {
    var long = JSON.Object((0..<count).map { JSON.Member("k\($0)", .int($0)) })
    var short = long
    let changes = [
      JSON.Member("k1", nil), JSON.Member("new", 1), JSON.Member("k2", 7), JSON.Member("k1", 8),
      JSON.Member("none", nil),
    ]
    for change in changes { short[change.name] = change.value == .null ? Optional.none : change.value }
    long.apply(changes) { _, new in new == .null ? Optional.none : new }
    #expect(long == short)
  }
}

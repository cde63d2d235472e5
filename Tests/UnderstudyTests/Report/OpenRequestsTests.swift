import Primitives
import Testing

@testable import Report

@Suite("The open logical requests")
struct OpenRequestsTests {
  private static func seen(_ id: Int, at now: Int64, _ random: inout SplitMix64) -> Observation {
    var seen = Observation.answered
    seen.id = id
    seen.client = UInt64.random(in: 1...2, using: &random)
    seen.isNamed = Bool.random(using: &random)
    seen.isWrite = Bool.random(using: &random)
    seen.key = [nil, nil, 1, 2].randomElement(using: &random) ?? nil
    seen.outcome = [.sent, .sent, .reset, .peerGone].randomElement(using: &random) ?? .sent
    seen.status = seen.outcome == .sent ? [404, 404, 503].randomElement(using: &random) : nil
    seen.arrival = MonotonicInstant(nanoseconds: now)
    seen.end = MonotonicInstant(nanoseconds: now + Int64.random(in: 0...3_000, using: &random) * 1_000_000)
    seen.identify()
    return seen
  }

  @Test("are found through their limits as by a comparison with each of them", arguments: UInt64(0)..<20)
  func limits(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var open = OpenRequests()
    var now: Int64 = 0
    for id in 1...1_500 {
      now += Int64.random(in: 0...40, using: &random) * (id % 500 < 100 ? 10_000_000 : 100_000)
      let seen = Self.seen(id, at: now, &random)
      let all = open.all
      let followed = all.indices.filter { all[$0].isFollowed(by: seen) }
      let expected = followed.first { all[$0].isAttempted(underTheKeyOf: seen) } ?? followed.first
      #expect(open.index(followedBy: seen) == expected)
      let answered = all.first { $0.isAnswered(by: seen) }
      switch Int.random(in: 0...5, using: &random) {
      case 0:
        #expect(open.remove(answeredBy: seen)?.last.id == answered?.last.id)
      case 1:
        if let index = all.indices.randomElement(using: &random) { open.update(at: index) { $0.absorb(seen) } }
      case 2:
        let half = all.first { $0.isHalf(of: seen) }
        #expect(open.remove(besides: seen)?.last.id == half?.last.id)
      case 3:
        guard let expected else { break }
        var request = open.remove(at: expected)
        request.add(seen)
        open.append(request)
      default:
        if open.isFull { _ = open.removeFirst() }
        open.append(LogicalRequest(seen))
      }
    }
    #expect(open.all.count > 100)
    #expect(open.hasWrites == open.all.contains { $0.isWrite })
    while !open.isEmpty { _ = open.removeFirst() }
    #expect(!open.hasWrites)
  }
}

import Primitives
import Testing

@testable import Report

@Suite("The interests of the checks")
struct InterestsTests {
  @Test("find the checks as a comparison with each of them does, in their order", arguments: UInt64(0)..<8)
  func checks(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    func traits() -> Traits {
      // Mostly few of them.
      Traits(rawValue: .random(in: 0...0x1FFF, using: &random) & .random(in: 0...0x1FFF, using: &random))
    }
    for _ in 0..<200 {
      let (seen, all) = (traits(), CheckRunner.all.map { _ in traits() })
      #expect(
        Array(Interests(all).checks(for: seen)) == all.indices.filter { !all[$0].isDisjoint(with: seen) })
    }
  }
}

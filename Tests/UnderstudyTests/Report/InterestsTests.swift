import Testing

@testable import Report

@Suite("The interests of the checks")
struct InterestsTests {
  @Test("find the checks as a comparison with each of them does, in their order", arguments: UInt64(0)..<8)
  func checks(seed: UInt64) {
    var random = WireRandom(seed: seed)
    func traits() -> Traits {
      // Mostly few of them.
      Traits(rawValue: .random(in: 0...0x1FFF, using: &random) & .random(in: 0...0x1FFF, using: &random))
    }
    var all = CheckRunner.all.map(\.interest)
    var interests = Interests(all)
    for _ in 0..<500 {
      let seen = traits()
      #expect(Array(interests.checks(for: seen)) == all.indices.filter { !all[$0].isDisjoint(with: seen) })
      guard let check = all.indices.randomElement(using: &random) else { return }
      all[check] = traits()
      interests.set(all[check], of: check)
    }
  }
}

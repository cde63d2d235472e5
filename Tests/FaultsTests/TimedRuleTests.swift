import Testing

@testable import Faults

@Suite("Rules and time")
struct TimedRuleTests {
  @Test("the next change is the earliest one of several schedules")
  func nextChange() {
    let rules = [(10, 20), (15, 40)].map { from, until in
      Rule("r\(from)", when: Trigger(from: .seconds(from), until: .seconds(until)), effect: Effect(Offline()))
    }
    let armed = ArmedScenario(Scenario(rules[0], rules[1]), seed: 1)
    let changes = [0, 10, 15, 20, 40].map { armed.nextOutageChange(after: .seconds($0)) }
    #expect(changes == [.seconds(10), .seconds(15), .seconds(20), .seconds(40), nil])
  }

  @Test("the rivals of one move have different draws, and a chance decides about each move")
  func rivals() {
    func moves(_ when: Trigger) -> [Rivals.Move] {
      let rule = Rule("rush", when: when, effect: Effect(Rivals(every: .seconds(1), books: 3)))
      let armed = ArmedScenario(Scenario(rule), seed: 1)
      var state = ScenarioCounters(armed)
      return armed.rivals(upTo: .seconds(100), state: &state)
    }
    let all = moves(Trigger())
    #expect(all.count == 300 && Set(all.map(\.draw)).count == 300)
    #expect(moves(Trigger(chance: Ratio(0, 1))).isEmpty)
    let some = moves(Trigger(chance: Ratio(1, 2)))
    #expect(some.count % 3 == 0 && (60...240).contains(some.count))
  }

  @Test("no delay is longer than an hour, however steep the end of its distribution")
  func longest() {
    let hour = Duration.seconds(3_600)
    let steep = Distribution.percentiles([
      Distribution.Percentile(rank: 50_000, delay: .zero), Distribution.Percentile(rank: 60_000, delay: hour),
    ])
    #expect(steep.delay(.max) == hour)
    #expect(Distribution.normal(mean: hour, deviation: hour).delay(.max) == hour)
    #expect(draws(1_000).allSatisfy { steep.delay($0) <= hour })
  }
}

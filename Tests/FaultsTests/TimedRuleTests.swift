import Testing

@testable import Faults

@Suite("Rules and time")
struct TimedRuleTests {
  @Test("a rule applies in its window of time only")
  func window() {
    let rule = Rule(
      "late", when: Trigger(from: .seconds(10), until: .seconds(20)), effect: Effect(Latency(.fixed(.seconds(1)))))
    let armed = ArmedScenario(Scenario(rule), seed: 1)
    for (elapsed, delay) in [(0, 0), (9, 0), (10, 1), (19, 1), (20, 0), (100, 0)] {
      let plan = armed.fresh(.list(1, elapsed: .seconds(elapsed)))
      #expect(plan.summary.delay == .seconds(delay), "after \(elapsed) s")
    }
  }

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

import Faults
import JSON
import Testing

@Suite("A window")
struct TriggerTests {
  static let ordinals: [(when: Trigger, held: [Int])] = [
    (Trigger(first: 2), [1, 2]),
    (Trigger(nth: 3), [3, 6, 9, 12]),
    (Trigger(requests: Trigger.Ordinals("5...9")), [5, 6, 7, 8, 9]),
    (Trigger(requests: Trigger.Ordinals("10...")), [10, 11, 12]),
    (Trigger(first: 8, nth: 2, requests: Trigger.Ordinals("4...")), [4, 6, 8]),
    (Trigger(), Array(1...12)),
  ]

  @Test("of ordinals contains exactly the requests that it names", arguments: ordinals)
  func ordinal(when: Trigger, held: [Int]) {
    #expect((1...12).filter { when.holds(.ordinal($0)) } == held)
  }

  @Test(
    "of ordinals or time decides whether a rule adds to a plan", arguments: ordinals.map(\.when) + times.map(\.when))
  func plans(when: Trigger) {
    let armed = ArmedScenario(Scenario(Rule(when: when, effect: .reset)), seed: 1)
    for elapsed in stride(from: 0, through: 400, by: 10).map({ Duration.milliseconds($0) }) {
      let held = (1...12).filter { when.holds(.ordinal($0)) && when.holds(elapsed) }
      let reset = (1...12).filter { armed.fresh(.list($0, elapsed: elapsed)).ending == .reset }
      guard reset != held else { continue }
      Issue.record("after \(elapsed) it adds to the plans of requests \(reset), expected \(held)")
      return
    }
  }

  @Test("of ordinals contains no request that has a fault key")
  func key() {
    #expect(!Trigger(first: 2).holds(.key("a")))
    #expect(!Trigger(nth: 1).holds(.key("a")))
    #expect(Trigger(from: .seconds(1)).holds(.key("a")))
  }

  static let times: [(when: Trigger, inside: [Int], outside: [Int])] = [
    (Trigger(from: .milliseconds(30)), [30, 31, 100_000], [0, 29]),
    (Trigger(until: .milliseconds(30)), [0, 29], [30, 31]),
    (Trigger(from: .milliseconds(30), until: .milliseconds(50)), [30, 49], [29, 50, 120]),
    (
      Trigger(from: .milliseconds(30), until: .milliseconds(50), every: .milliseconds(90)),
      [30, 49, 120, 139, 90_030], [0, 29, 50, 89, 90, 119, 140, 90_050]
    ),
    (Trigger(until: .milliseconds(50), every: .milliseconds(50)), [0, 49, 50, 51], []),
    (Trigger(from: .milliseconds(80), every: .milliseconds(90)), [80, 89, 170, 179], [0, 79, 90, 169, 180]),
    (Trigger(), [0, 1_000], []),
  ]

  @Test("of time begins at `from`, ends before `until`, and repeats with `every`", arguments: times)
  func time(when: Trigger, inside: [Int], outside: [Int]) {
    for moment in inside { #expect(when.holds(.milliseconds(moment)), "\(moment)") }
    for moment in outside { #expect(!when.holds(.milliseconds(moment)), "\(moment)") }
  }

  @Test("begins and ends at the exact nanosecond")
  func nanosecond() {
    let when = Trigger(from: .seconds(1), until: .seconds(2))
    #expect(!when.holds(.seconds(1) - .nanoseconds(1)))
    #expect(when.holds(.seconds(1)))
    #expect(when.holds(.seconds(2) - .nanoseconds(1)))
    #expect(!when.holds(.seconds(2)))
  }

  @Test("reports its next change no later than it happens", arguments: times)
  func changes(when: Trigger, inside: [Int], outside: [Int]) {
    for start in 0...200 {
      let moment = Duration.milliseconds(start)
      let next = when.nextChange(after: moment)
      let observed = (start + 1...start + 400).first { when.holds(.milliseconds($0)) != when.holds(moment) }
      guard let observed else { continue }
      #expect(next.map { $0 <= .milliseconds(observed) } == true, "from \(start)")
    }
  }

  @Test(
    "of ordinals is refused unless it is `n...m` or `n...`",
    arguments: ["", "5", "...9", "5..9", "5....9", "5...9 ", "a...b", "+1...2", "9...5", "0...1"])
  func forms(text: String) {
    #expect(Trigger.Ordinals(text) == nil)
  }

  @Test("has an open time that is the sum of the times at which it is open")
  func openTime() {
    let windows = [
      Trigger(), Trigger(until: .seconds(7)), Trigger(from: .seconds(3)),
      Trigger(from: .seconds(3), until: .seconds(7)),
      Trigger(from: .seconds(3), every: .seconds(10)), Trigger(until: .seconds(4), every: .seconds(10)),
      Trigger(from: .seconds(2), until: .seconds(10), every: .seconds(10)),
    ]
    for when in windows {
      var sum = Duration.zero
      for second in Int64(0)...45 {
        #expect(when.openTime(until: .seconds(second)) == sum, "\(when) at \(second) s")
        if when.holds(Duration.seconds(second)) { sum += .seconds(1) }
      }
    }
    #expect(Trigger(from: .seconds(3)).openTime(until: .milliseconds(3_250)) == .milliseconds(250))
    #expect(Trigger(until: .seconds(1)).openTime(until: .seconds(-1)) == .zero)
  }
}

import Faults
import Testing

/// A change of one of these plans would make the seeds of all users invalid.
@Suite("The plans of known seeds")
struct GoldenPlanTests {
  struct Golden: Sendable, CustomTestStringConvertible {
    let scenario: String
    let seed: UInt64
    /// The plans of the first eight PATCHes of one device, without the rules' names.
    let descriptions: [String]
    var testDescription: String { "\(scenario), seed \(seed)" }
  }

  static let golden = [
    Golden(
      scenario: "original", seed: 1,
      descriptions: [
        "latency 1.540083s; status 500 before commit",
        "latency 2.589989s",
        "latency 2.799651s",
        "latency 1.290551s",
        "latency 2.801496s",
        "latency 1.981821s",
        "latency 2.93268s",
        "latency 1.367639s",
      ]),
    Golden(
      scenario: "original", seed: 7,
      descriptions: [
        "latency 2.32916s",
        "latency 2.587395s",
        "latency 2.207908s",
        "latency 1.457298s",
        "latency 2.395108s; status 500 before commit",
        "latency 1.044483s",
        "latency 1.716933s; status 500 before commit",
        "latency 2.95801s",
      ]),
    Golden(
      scenario: "lost-ack", seed: 1,
      descriptions: [
        "", "", "reset after commit", "reset after commit", "", "", "reset after commit", "reset after commit",
      ]),
    Golden(
      scenario: "lost-ack", seed: 7,
      descriptions: [
        "reset after commit", "", "", "", "reset after commit", "", "reset after commit", "reset after commit",
      ]),
    Golden(
      scenario: "3g", seed: 1,
      descriptions: [
        "latency 99.207ms; pace 187500 B/s in 1460 B",
        "latency 314.503ms; pace 187500 B/s in 1460 B",
        "latency 247.288ms; pace 187500 B/s in 1460 B",
        "latency 93.7ms; pace 187500 B/s in 1460 B",
        "latency 306.616ms; pace 187500 B/s in 1460 B",
        "latency 153.034ms; pace 187500 B/s in 1460 B",
        "latency 116.512ms; pace 187500 B/s in 1460 B",
        "latency 1.666898s; pace 187500 B/s in 1460 B",
      ]),
    Golden(
      scenario: "edge", seed: 7,
      descriptions: [
        "latency 2.671937s; pace 18750 B/s in 512 B",
        "latency 684.319ms; pace 18750 B/s in 512 B",
        "latency 373.777ms; pace 18750 B/s in 512 B",
        "latency 773.224ms; pace 18750 B/s in 512 B",
        "latency 584.195ms; pace 18750 B/s in 512 B",
        "latency 567.622ms; pace 18750 B/s in 512 B",
        "latency 1.663548s; pace 18750 B/s in 512 B",
        "latency 326.087ms; pace 18750 B/s in 512 B",
      ]),
    Golden(
      scenario: "overload", seed: 1,
      descriptions: [
        "latency 943.439ms",
        "latency 2.114475s",
        "latency 314.695ms",
        "latency 609.972ms",
        "latency 696.306ms; status 503, retry after 2s before commit",
        "latency 1.269832s",
        "latency 3.362528s",
        "latency 155.916ms",
      ]),
    Golden(
      scenario: "hotel-wifi", seed: 7,
      descriptions: [
        "latency 563.434ms; captive-portal before commit",
        "latency 56.974ms; captive-portal before commit",
        "latency 48.952ms",
        "latency 2.674241s",
        "latency 55.639ms",
        "latency 84.774ms",
        "latency 76.187ms",
        "latency 478.844ms",
      ]),
    Golden(
      scenario: "schema-drift", seed: 1,
      descriptions: [
        "",
        "drift after commit",
        "",
        "corrupt before commit",
        "",
        "",
        "",
        "drift after commit",
      ]),
    Golden(
      scenario: "mayhem", seed: 1,
      descriptions: [
        "latency 29.265ms; pace 4000 B/s in 128 B",
        "latency 33.929ms; hang for 20s, then close before commit",
        "latency 122.188ms; reset after commit",
        "latency 38.52ms",
        "latency 116.889ms; garbage before commit",
        "latency 20.323ms",
        "latency 39.384ms; latency 194.848ms after commit",
        "latency 123.364ms; reset after commit",
      ]),
    Golden(
      scenario: "mayhem", seed: 7,
      descriptions: [
        "latency 27.534ms; latency 629.369ms after commit",
        "latency 83.531ms; status 503, retry after 1s before commit",
        "latency 1.06s",
        "latency 149.024ms",
        "latency 163.1ms; stall at 1/2 for 5s before commit; pace 4000 B/s in 128 B",
        "latency 180.255ms",
        "latency 24.66ms",
        "latency 33.824ms; reset after commit",
      ]),
  ]

  @Test("are the same in every release", arguments: golden)
  func plans(golden: Golden) throws {
    let armed = ArmedScenario(try BuiltInTests.scenario(golden.scenario), seed: golden.seed)
    let plans = (1...8).map { armed.preview(.patch($0)).plan }
    let descriptions = plans.map { $0.description.split(separator: " (rule").first.map(String.init) ?? "" }
    #expect(descriptions == golden.descriptions)
  }

  @Test("identify a rule without a name by this exact text")
  func identity() {
    let rule = Rule(
      about: "Not part of it.", match: Match(api: "devices", methods: ["PATCH"], path: PathGlob("/devices/*")),
      when: Trigger(chance: Ratio("1/10"), from: .seconds(90)), phase: .after, effect: Effect(Stall()))
    #expect(
      rule.identity == """
        {"match":{"api":"devices","method":["PATCH"],"path":"/devices/*"},\
        "when":{"chance":"1/10","from":"90s"},"phase":"after","effect":{"fault":"stall","at":"1/2"}}
        """)
    #expect(Rule("named", effect: Effect(Stall())).identity == "named")
  }
}

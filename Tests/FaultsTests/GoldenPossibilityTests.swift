import Faults
import Testing

/// The scenarios whose faults depend on time or on earlier requests, too. A change of one of these plans would make the seeds
/// of all users invalid.
@Suite("The possible plans of known seeds")
struct GoldenPossibilityTests {
  struct Golden: Sendable, CustomTestStringConvertible {
    let scenario: String
    let seed: UInt64
    let stream: RequestKey
    /// The plans of the first eight requests, and the dependence of each rule that may apply in addition.
    let descriptions: [String]
    var testDescription: String { "\(scenario), seed \(seed)" }
  }

  static let golden = [
    Golden(
      scenario: "basement", seed: 7, stream: .patch,
      descriptions: [
        "perhaps by time, time, time, time, time",
        "perhaps by time, time, time, time, time",
        "perhaps by time, time, time, time, time",
        "perhaps by time, time, time, time, time",
        "perhaps by time, time, time, time, time, time",
        "perhaps by time, time, time, time, time",
        "perhaps by time, time, time, time, time, time",
        "perhaps by time, time, time, time, time",
      ]),
    Golden(
      scenario: "cold-start", seed: 7, stream: .patch,
      descriptions: [
        "latency 339.305ms; perhaps by arrival",
        "latency 842.672ms; perhaps by arrival",
        "perhaps by arrival",
        "perhaps by arrival",
        "perhaps by arrival",
        "perhaps by arrival",
        "perhaps by arrival",
        "perhaps by arrival",
      ]),
    Golden(
      scenario: "elevator", seed: 7, stream: .patch,
      descriptions: [
        "latency 84.979ms; perhaps by time, time, time",
        "latency 43.909ms; perhaps by time, time, time",
        "latency 49.996ms; perhaps by time, time",
        "latency 73.487ms; perhaps by time, time, time",
        "latency 121.582ms; perhaps by time, time",
        "latency 54.046ms; perhaps by time, time",
        "latency 39.151ms; perhaps by time, time",
        "latency 110.782ms; perhaps by time, time",
      ]),
    Golden(
      scenario: "train", seed: 7, stream: .patch,
      descriptions: [
        "latency 110.866ms; perhaps by time, time, time",
        "latency 181.844ms; perhaps by time, time, time",
        "latency 88.742ms; perhaps by time, time",
        "latency 119.808ms; perhaps by time, time",
        "latency 115.303ms; perhaps by time, time, time",
        "latency 68.29ms; perhaps by time, time, time",
        "latency 69.881ms; perhaps by time, time, time, time",
        "latency 163.471ms; perhaps by time, time, time",
      ]),
    Golden(
      scenario: "rate-limited", seed: 7, stream: .patch,
      descriptions: [
        "perhaps by arrival",
        "perhaps by arrival",
        "perhaps by arrival",
        "perhaps by arrival",
        "perhaps by arrival",
        "perhaps by arrival",
        "perhaps by arrival",
        "perhaps by arrival",
      ]),
    Golden(
      scenario: "rush-hour", seed: 7, stream: RequestKey(api: "booking", method: "POST", path: "/book"),
      descriptions: [
        "latency 518.572ms; perhaps by time",
        "latency 142.89ms; perhaps by time",
        "latency 143.755ms; perhaps by time",
        "latency 408.004ms; perhaps by time",
        "latency 1.369991s; perhaps by time",
        "latency 227.593ms; perhaps by time",
        "latency 121.361ms; perhaps by time",
        "latency 65.265ms; perhaps by time",
      ]),
    Golden(
      scenario: "weather-limit", seed: 7,
      stream: RequestKey(api: "house", method: "GET", path: "/api/location/2165352"),
      descriptions: [
        "perhaps by arrival",
        "perhaps by arrival",
        "perhaps by arrival",
        "perhaps by arrival",
        "perhaps by arrival",
        "perhaps by arrival",
        "perhaps by arrival",
        "perhaps by arrival",
      ]),
  ]

  @Test("are the same in every release", arguments: golden)
  func plans(golden: Golden) throws {
    let armed = ArmedScenario(try BuiltInTests.scenario(golden.scenario), seed: golden.seed)
    let descriptions = (1...8).map { n in
      let context = RequestContext(
        stream: golden.stream, position: .ordinal(n), changes: golden.stream.method != "GET", elapsed: .zero)
      let preview = armed.preview(context)
      let words = preview.plan.description.split(separator: " (rule").first.map(String.init)
      let possible = preview.possible.map(\.dependence.rawValue).joined(separator: ", ")
      return [words, possible.isEmpty ? nil : "perhaps by " + possible].compactMap(\.self).joined(separator: "; ")
    }
    #expect(descriptions == golden.descriptions)
  }

  @Test("are known for every built-in scenario but calm, which has no rule")
  func all() {
    let known = Set(GoldenPlanTests.golden.map(\.scenario) + Self.golden.map(\.scenario))
    #expect(known == Set(BuiltInTests.names).subtracting(["calm"]))
  }
}

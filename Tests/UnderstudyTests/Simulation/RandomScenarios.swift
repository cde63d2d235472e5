import Faults
import JSON

/// Draws scenarios: every effect, both phases, all kinds of windows, as a person would write them.
struct RandomScenarios {
  private let timeline: Timeline

  init(_ timeline: Timeline) { self.timeline = timeline }

  /// A scenario as JSON.
  func next() -> String {
    if timeline.oneIn(6) { return "{\"name\": \"quiet\", \"rules\": []}" }
    let rules = (0..<timeline.integer(1...3)).map { rule(named: "rule \($0)") }
    return "{\"name\": \"drawn\", \"rules\": [\(rules.joined(separator: ", "))]}"
  }

  private func rule(named name: String) -> String {
    if timeline.oneIn(25) {
      let from = timeline.integer(0...4_000)
      let until = from + timeline.integer(1...1_500)
      return "{\"name\": \"\(name)\", \"when\": {\"from\": \"\(from)ms\", \"until\": \"\(until)ms\"}, "
        + "\"effect\": {\"offline\": true}}"
    }
    if timeline.oneIn(4) {
      return "{\"name\": \"\(name)\", \"when\": \(when), \"effect\": \(timeline.pick(Self.onlyBefore))}"
    }
    let isBefore = timeline.oneIn(2)
    let (match, when, effect) = (match, when, timeline.pick(Self.effects))
    let phase = isBefore || effect.contains("stale") ? "before" : "after"
    return "{\"name\": \"\(name)\", \"match\": \(match), \"when\": \(when), \"phase\": \"\(phase)\", "
      + "\"effect\": \(effect)}"
  }

  private var match: String {
    timeline.pick(["{}", "{}", "{\"api\": \"devices\"}", "{\"changes\": true}", "{\"path\": \"/book\"}"])
  }

  private var when: String {
    timeline.pick([
      "{}", "{\"chance\": \"1/2\"}", "{\"chance\": \"1/4\"}", "{\"first\": 2}", "{\"nth\": 2}",
      "{\"requests\": \"2...3\"}",
      "{\"from\": \"1s\", \"until\": \"3s\"}", "{\"from\": \"50ms\", \"every\": \"100ms\"}",
    ])
  }

  private static let onlyBefore = [
    "{\"rateLimit\": {\"limit\": 2, \"window\": \"5s\"}}", "{\"coldStart\": {\"idle\": \"1s\", \"delay\": \"400ms\"}}",
    "{\"pace\": {\"bytesPerSecond\": 2000, \"chunk\": 64}}", "{\"pace\": {\"bytesPerSecond\": 9000}}",
    "{\"rivals\": {\"every\": \"300ms\", \"books\": 2}}", "{\"rivals\": {\"every\": \"2s\"}}",
  ]

  private static let effects =
    [
      "{\"latency\": \"200ms\"}", "{\"latency\": \"1us\"}", "{\"latency\": {\"uniform\": [\"1ms\", \"3s\"]}}",
      "{\"latency\": {\"normal\": {\"mean\": \"50ms\", \"deviation\": \"40ms\"}}}",
      "{\"latency\": {\"lognormal\": {\"median\": \"20ms\", \"p99\": \"2s\"}}}",
      "{\"latency\": {\"percentiles\": {\"50\": \"80ms\", \"99\": \"2s\"}}}",
      "{\"status\": 503, \"retryAfter\": \"2s\"}", "{\"status\": 500}", "{\"status\": 200, \"body\": {\"a\": 1}}",
      "{\"fault\": \"hang\", \"for\": \"700ms\"}", "{\"fault\": \"hang\", \"for\": \"80ms\", \"then\": \"reset\"}",
      "{\"fault\": \"hang\", \"for\": \"3s\", \"then\": \"close\"}", "{\"fault\": \"stall\", \"at\": \"1/3\"}",
      "{\"fault\": \"stall\", \"for\": \"90ms\"}", "{\"fault\": \"stall\", \"for\": \"90ms\", \"then\": \"reset\"}",
      "{\"fault\": \"stall\", \"at\": \"0/1\", \"for\": \"1s\", \"then\": \"close\"}",
      "{\"fault\": \"truncate\", \"at\": \"0/1\"}", "{\"fault\": \"truncate\", \"at\": \"1/1\"}",
      "{\"fault\": \"stale\", \"versions\": 2}",
    ]
    + [
      "reset", "reset-bare", "empty", "hang", "truncate", "bad-chunk", "garbage", "corrupt", "drift", "wrong-type",
      "captive-portal", "stale",
    ].map { "{\"fault\": \"\($0)\"}" }
}

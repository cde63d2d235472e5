package import JSON

/// The backend sleeps when idle: the request that wakes it waits, and so do all that arrive before it is awake.
package struct ColdStart: EffectBody {
  package static let kind = Effect.Kind(
    "coldStart", value: start.member.shape,
    Effect.Kind.Page(
      "The backend falls asleep when idle: the request that wakes it waits, and so do all that come while it wakes.",
      wire: "Nothing until the backend is awake, then the response; `Server-Timing` tells the delay.",
      limit:
        "Idleness counts the requests that the rule matches, by the sandbox's clock. The very first request wakes it "
        + "too.",
      example: #"{"coldStart": {"idle": "30s", "delay": "5s"}}"#),
    whyOnlyBefore: "nothing is done before the backend is awake", dependence: .arrival
  ) { reader throws(ValidationError) in
    let members = try reader.object(start)
    return ColdStart(idle: try members.value(idle), delay: try members.value(delay))
  }
  private static let start = Key.object(
    "coldStart", [idle.member, delay.member], "The sleep and the waking.", isRequired: true,
    example: #"{"idle": "30s", "delay": "5s"}"#)
  private static let idle = Key.duration(
    "idle", in: .milliseconds(1) ... .longestSchedule, "The time without requests after which it sleeps.",
    isRequired: true)
  private static let delay = Key.duration(
    "delay", in: .milliseconds(1) ... .longestDelay, "How long it takes to wake.", isRequired: true)

  package let idle: Duration
  package let delay: Duration

  package init(idle: Duration, delay: Duration) {
    self.idle = idle
    self.delay = delay
  }

  package var kind: Effect.Kind { Self.kind }
  package var words: String { "cold start \(DurationText.text(delay)) after \(DurationText.text(idle)) idle" }
  package var value: JSONValue { ["idle": .duration(idle), "delay": .duration(delay)] }

  /// The counters' `since` is the last activity, `until` the end of the last wake-up.
  package func add(to plan: inout Plan, _ ruleMatch: RuleMatch, _ memory: inout RuleCounters) {
    let isAsleep = memory.since.map { ruleMatch.elapsed - $0 >= idle } ?? true
    let awake = isAsleep ? ruleMatch.elapsed + delay : memory.until ?? .zero
    memory.until = awake
    memory.since = max(ruleMatch.elapsed, awake)
    guard awake > ruleMatch.elapsed else { return }
    let wait = awake - ruleMatch.elapsed
    plan.delayBefore += wait
    plan.coldStart += wait
    plan.note(ruleMatch)
  }
}

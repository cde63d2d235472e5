package import JSON
import Primitives

/// The backend sleeps when idle: the request that wakes it waits, and so does every request that arrives before it is
/// awake.
package struct ColdStart: EffectBody {
  package static let kind = Effect.Kind(
    "coldStart", value: start.member.shape,
    Effect.Kind.Page(
      "The backend falls asleep when idle. The request that wakes it waits, and so do all requests that arrive while "
        + "it wakes.",
      wire: "Nothing until the backend is awake, then the response; `Server-Timing` has the delay.",
      limit:
        "Only requests that the rule matches keep the backend awake, by the sandbox's clock. The first request of "
        + "all wakes it, too.",
      example: #"{"coldStart": {"idle": "30s", "delay": "5s"}}"#),
    onlyBeforeReason: "no request is applied before the backend is awake", dependence: .arrival
  ) { reader throws(ValidationError) in
    let members = try reader.object(start)
    return ColdStart(idle: try members.value(idle), delay: try members.value(delay))
  }
  private static let start = Key.object(
    "coldStart", [idle.member, delay.member], "The sleep and the waking.",
    example: #"{"idle": "30s", "delay": "5s"}"#)
  private static let idle = Key.duration(
    "idle", in: .milliseconds(1) ... .longestSchedule, "The time without requests after which it sleeps.",
    isRequired: true)
  private static let delay = Key.duration(
    "delay", in: .milliseconds(1) ... .maximumDelay, "The time that it takes to wake.", isRequired: true)

  package let idle: Duration
  package let delay: Duration

  package var kind: Effect.Kind { Self.kind }
  package var description: String { "cold start \(DurationText.text(delay)) after \(DurationText.text(idle)) idle" }
  package var value: JSONValue { ["idle": .duration(idle), "delay": .duration(delay)] }

  /// The counters' `since` is the last activity, `until` the end of the last wake-up.
  package func add(to plan: inout PlanDraft, _ ruleMatch: RuleMatch, _ counters: inout RuleCounters) {
    let isAsleep = counters.since.map { ruleMatch.elapsed - $0 >= idle } ?? true
    let awake = isAsleep ? ruleMatch.elapsed + delay : counters.until ?? .zero
    counters.until = awake
    counters.since = max(ruleMatch.elapsed, awake)
    guard awake > ruleMatch.elapsed else { return }
    let wait = NanosecondDuration(awake - ruleMatch.elapsed)
    plan.add(wait, .before)
    plan.coldStart = plan.coldStart + wait
    plan.record(ruleMatch)
  }
}

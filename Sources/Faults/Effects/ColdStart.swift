import JSON

/// The backend falls asleep when idle: the request that wakes it waits, and so do all that come while it wakes.
package struct ColdStart: EffectBody {
  static let kind = Effect.Kind.coldStart
  static let whyOnlyBefore: String? = "nothing is done before the backend is awake"
  static let dependence: Dependence? = .arrival

  package let idle: Duration
  package let delay: Duration

  package init(idle: Duration, delay: Duration) {
    self.idle = idle
    self.delay = delay
  }

  init(_ reader: Reader) throws(Violation) {
    let start = try reader.nested("coldStart", "an object, as in {\"idle\": \"30s\", \"delay\": \"5s\"}")
    try start.allow(["idle", "delay"])
    idle = try start.requiredDuration("idle", in: .milliseconds(1) ... .longestSchedule)
    delay = try start.requiredDuration("delay", in: .milliseconds(1) ... .longestDelay)
  }

  var effect: Effect { .coldStart(self) }
  var words: String { "cold start \(DurationText.text(delay)) after \(DurationText.text(idle)) idle" }

  var members: [JSON.Member] {
    [JSON.Member("coldStart", ["idle": .duration(idle), "delay": .duration(delay)])]
  }

  /// The memory's `since` is the last activity, its `until` the end of the last waking.
  func add(to plan: inout Plan, _ bite: Bite, _ memory: inout Memory) {
    let isAsleep = memory.since.map { bite.elapsed - $0 >= idle } ?? true
    let awake = isAsleep ? bite.elapsed + delay : memory.until ?? .zero
    memory.until = awake
    memory.since = max(bite.elapsed, awake)
    guard awake > bite.elapsed else { return }
    let wait = awake - bite.elapsed
    plan.delayBefore += wait
    plan.coldStart += wait
    plan.note(bite)
  }
}

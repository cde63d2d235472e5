package import Primitives

/// The summary of a plan for people, metrics and reports, which carry nothing out.
package struct PlanSummary: Sendable, Equatable {
  let plan: Plan
  /// The change that the fault made in the response's body, for people; nil before the response, and for other faults.
  package var change: String?

  init(_ plan: Plan) { self.plan = plan }

  /// The summary of a plan without faults.
  package static let none = PlanSummary(.none)

  package var isEmpty: Bool { plan.isEmpty }

  /// The planned delay before and after the state change.
  package var delay: Duration { delayTime.duration }

  /// The delay after the state change.
  package var delayAfter: Duration { plan.delays.after.duration }

  /// The same delay, without 128-bit arithmetic.
  package var delayTime: NanosecondDuration { plan.delays.before + plan.delays.after }

  /// The total wait that it requires, silences included.
  package var wait: NanosecondDuration { plan.delivery.waitBefore + plan.delivery.waitAfter }

  /// The identities of the rules that applied, in the scenario's order.
  package var rules: [String] { plan.rules }

  /// The fault in the outcome, if there is one.
  package var fault: Fault? { plan.fault }

  /// A response instead of the API's.
  package var status: StatusResponse? { plan.hasFault ? plan.message.status : nil }

  /// The kind of the fault in the content.
  package var damage: Effect.Kind? { plan.hasFault ? plan.message.damage?.kind : nil }

  /// True if it damages the content. A stale response is not damaged: it was correct at an earlier time.
  package var isDamaging: Bool { damage != nil && !isStale }

  /// True if the content shows an older state.
  package var isStale: Bool { plan.message.versionsAgo > 0 }

  /// The fault in the bytes and their times.
  package var ending: TransportFault? { plan.hasFault ? plan.delivery.fault : nil }

  /// True if a stream was possible.
  package var allowsStream: Bool { plan.delivery.allowsStream }

  /// Calls `body` with the kinds of the effects on time, each with its phase.
  package func forEachSlowdown(_ body: (Effect.Kind, Phase) -> Void) {
    let delays = plan.delays
    if plan.pace != nil { body(Pace.kind, .before) }
    if delays.coldStart > .zero { body(ColdStart.kind, .before) }
    if delays.before > delays.coldStart { body(Latency.kind, .before) }
    if delays.after > .zero { body(Latency.kind, .after) }
  }
}

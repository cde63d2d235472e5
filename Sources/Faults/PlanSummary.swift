/// The summary of a plan for people, metrics and reports, which carry nothing out.
package struct PlanSummary: Sendable, Equatable {
  let plan: Plan

  init(_ plan: Plan) { self.plan = plan }

  /// The summary of a plan without faults.
  package static let none = PlanSummary(.none)

  package var isEmpty: Bool { plan.isEmpty }

  /// The planned delay before and after the state change.
  package var delay: Duration { plan.delayBefore + plan.delayAfter }

  /// The total wait that it requires, silences included.
  package var wait: Duration { plan.delivery.waitBefore + plan.delivery.waitAfter }

  /// True if the content is not what the API returned, so that it shows nothing of the state.
  package var replacesContent: Bool { status != nil || damage != nil || plan.message.changesBytes }

  /// The identities of the rules that applied, in the scenario's order.
  package var rules: [String] { plan.rules }

  /// The fault in the outcome, if there is one.
  package var fault: Fault? { plan.fault }

  /// A response instead of the API's.
  package var status: StatusResponse? { plan.message.status }

  /// The kind of the fault in the content.
  package var damage: Effect.Kind? { plan.message.damage?.kind }

  /// True if the content shows an older state.
  package var isStale: Bool { plan.message.versionsAgo > 0 }

  /// The fault in the bytes and their times.
  package var ending: TransportFault? { plan.delivery.fault }

  /// True if a stream was possible.
  package var allowsStream: Bool { plan.delivery.allowsStream }

  /// The kinds of the effects on time, each with its phase.
  package var slowdowns: [(kind: Effect.Kind, phase: Phase)] {
    var kinds: [(kind: Effect.Kind, phase: Phase)] = []
    if plan.pace != nil { kinds.append((Pace.kind, .before)) }
    if plan.coldStart > .zero { kinds.append((ColdStart.kind, .before)) }
    if plan.delayBefore > plan.coldStart { kinds.append((Latency.kind, .before)) }
    if plan.delayAfter > .zero { kinds.append((Latency.kind, .after)) }
    return kinds
  }
}

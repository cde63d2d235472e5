package import Primitives

/// The part of a plan that concerns the delivery of the message, for the connection: when its bytes are sent, and how
/// it ends.
package struct DeliveryPlan: Sendable {
  private let plan: Plan.Contents?

  init(_ plan: Plan.Contents?) { self.plan = plan }

  package var pace: Pace? { plan?.draft.pace }

  /// The fault in the bytes and their times.
  package var fault: TransportFault? { plan?.draft.ending }

  /// The delay before the handler runs. An offline sandbox has none, whatever else is planned.
  package var waitBefore: NanosecondDuration { plan?.waits.before ?? .zero }

  /// The delay after the state change, before the response's first byte.
  package var waitAfter: NanosecondDuration { plan?.waits.after ?? .zero }

  /// A silence before the first byte, after which the response follows: part of the wait before the handler.
  package var silenceBefore: Duration? { plan?.waits.silenceBefore }

  /// The same after the state change: part of the wait before the response.
  package var silenceAfter: Duration? { plan?.waits.silenceAfter }

  /// True if a stream is possible: there is no pace, and no fault except one after a number of events.
  package var allowsStream: Bool { pace == nil && (plan?.hasFault != true || fault?.eventLimit != nil) }

  /// True if the whole message is sent at once.
  package var isWhole: Bool { pace == nil && fault == nil }

  /// True if the response has to wait for its first byte.
  package var isDelayed: Bool { waitBefore > .zero || waitAfter > .zero }

  /// The waits of a plan, silences included.
  struct Waits: Sendable {
    let before: NanosecondDuration
    let after: NanosecondDuration
    let silenceBefore: Duration?
    let silenceAfter: Duration?

    init(_ plan: borrowing PlanDraft) {
      guard let fault = plan.ending else {
        (before, after) = (plan.delayBefore, plan.delayAfter)
        (silenceBefore, silenceAfter) = (nil, nil)
        return
      }
      var silence: Duration?
      if fault.first == .nothing, let hold = fault.hold, hold.then == .resume { silence = hold.duration }
      let phase = plan.fault?.phase
      silenceBefore = phase == .before ? silence : nil
      silenceAfter = phase == .after ? silence : nil
      let isImmediate = fault.isImmediate
      before = isImmediate ? .zero : plan.delayBefore + NanosecondDuration(silenceBefore ?? .zero)
      after = isImmediate ? .zero : plan.delayAfter + NanosecondDuration(silenceAfter ?? .zero)
    }
  }
}

extension PlanDraft {
  /// The fault in the bytes and their times.
  fileprivate var ending: TransportFault? {
    if hasFault, case .ending(let ending) = fault?.action { ending } else { nil }
  }
}

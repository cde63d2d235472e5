package import Primitives

/// The properties of a plan that concern the delivery of the message, for the connection: when its bytes are sent, and how
/// it ends.
extension Plan {
  package var pace: Pace? { contents?.draft.pace }

  /// The fault in the bytes and their times.
  package var ending: TransportFault? { contents?.draft.ending }

  /// The delay before the handler runs. An offline sandbox has none, whatever else is planned.
  package var waitBefore: NanosecondDuration { contents?.waits.before ?? .zero }

  /// The delay after the state change, before the response's first byte.
  package var waitAfter: NanosecondDuration { contents?.waits.after ?? .zero }

  /// A silence before the first byte, after which the response follows: part of the wait before the handler.
  package var silenceBefore: Duration? { contents?.waits.silenceBefore }

  /// The same after the state change: part of the wait before the response.
  package var silenceAfter: Duration? { contents?.waits.silenceAfter }

  /// True if a stream is possible: there is no pace, and no fault except one after a number of events.
  package var allowsStream: Bool { pace == nil && (!hasFault || ending?.eventLimit != nil) }

  /// True if the whole message is sent at once.
  package var isWhole: Bool { pace == nil && ending == nil }

  /// True if the response has to wait for its first byte.
  package var isDelayed: Bool { waitBefore > .zero || waitAfter > .zero }

  /// The total wait that it requires, silences included.
  package var wait: NanosecondDuration { waitBefore + waitAfter }

  /// The planned delay before and after the state change, without silences.
  package var delay: Duration { delayTime.duration }

  /// The same delay, without 128-bit arithmetic.
  package var delayTime: NanosecondDuration { delays.before + delays.after }

  /// Calls `body` with the kinds of the effects on time, each with its phase.
  package func forEachSlowdown(_ body: (Effect.Kind, Phase) -> Void) {
    let delays = delays
    if pace != nil { body(Pace.kind, .before) }
    if delays.coldStart > .zero { body(ColdStart.kind, .before) }
    if delays.before > delays.coldStart { body(Latency.kind, .before) }
    if delays.after > .zero { body(Latency.kind, .after) }
  }

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

package import Primitives

/// The part of a plan that concerns the delivery of the message, for the connection: when its bytes are sent, and how
/// it ends.
package struct DeliveryPlan: Sendable {
  package let pace: Pace?
  /// The fault in the bytes and their times.
  package let fault: TransportFault?
  /// The delay before the handler runs. An offline sandbox has none, whatever else is planned.
  package let waitBefore: NanosecondDuration
  /// The delay after the state change, before the response's first byte.
  package let waitAfter: NanosecondDuration
  /// A silence before the first byte, after which the response follows: part of the wait before the handler.
  package let silenceBefore: Duration?
  /// The same after the state change: part of the wait before the response.
  package let silenceAfter: Duration?
  /// True if a stream is possible: there is no pace, and no fault except one after a number of events.
  package let allowsStream: Bool

  init(_ plan: PlanDraft) {
    pace = plan.pace
    if case .ending(let ending) = plan.fault?.action { fault = ending } else { fault = nil }
    let phase = plan.fault?.phase
    var silence: Duration?
    if let fault, fault.first == .nothing, let hold = fault.hold, hold.then == .resume { silence = hold.duration }
    silenceBefore = phase == .before ? silence : nil
    silenceAfter = phase == .after ? silence : nil
    let isImmediate = fault?.isImmediate == true
    waitBefore = isImmediate ? .zero : plan.delayBefore + NanosecondDuration(silenceBefore ?? .zero)
    waitAfter = isImmediate ? .zero : plan.delayAfter + NanosecondDuration(silenceAfter ?? .zero)
    allowsStream = plan.pace == nil && (plan.fault == nil || fault?.eventLimit != nil)
  }

  static let none = DeliveryPlan(PlanDraft(.ordinal(1)))

  /// True if the whole message is sent at once.
  package var isWhole: Bool { pace == nil && fault == nil }

  /// True if the response has to wait for its first byte.
  package var isDelayed: Bool { waitBefore > .zero || waitAfter > .zero }
}

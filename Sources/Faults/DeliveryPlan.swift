package import Primitives

/// The part of a plan that concerns the delivery of the message, for the connection: when its bytes are sent, and how
/// it ends.
package struct DeliveryPlan: Sendable {
  private let faults: [Plan.Contents]?

  init(_ faults: [Plan.Contents]?) { self.faults = faults }

  package var pace: Pace? { faults?[0].pace }

  /// The fault in the bytes and their times.
  package var fault: TransportFault? {
    guard let faults, faults[0].hasFault, case .ending(let fault) = faults[0].fault?.action else { return nil }
    return fault
  }

  /// True if the whole message is sent at once.
  package var isWhole: Bool { pace == nil && fault == nil }

  /// A silence before the first byte, after which the response follows: part of the wait before the handler.
  package var silenceBefore: Duration? { silence(in: .before) }

  /// The same after the state change: part of the wait before the response.
  package var silenceAfter: Duration? { silence(in: .after) }

  private func silence(in phase: Phase) -> Duration? {
    guard let fault, fault.first == .nothing, let hold = fault.hold, hold.then == .resume,
      faults?[0].fault?.phase == phase
    else { return nil }
    return hold.duration
  }

  /// The delay before the handler runs. An offline sandbox has none, whatever else is planned.
  package var waitBefore: NanosecondDuration {
    guard let faults else { return .zero }
    guard let fault else { return faults[0].delayBefore }
    return fault.isImmediate ? .zero : faults[0].delayBefore + NanosecondDuration(silenceBefore ?? .zero)
  }

  /// The delay after the state change, before the response's first byte.
  package var waitAfter: NanosecondDuration {
    guard let faults else { return .zero }
    guard let fault else { return faults[0].delayAfter }
    return fault.isImmediate ? .zero : faults[0].delayAfter + NanosecondDuration(silenceAfter ?? .zero)
  }

  /// True if the response has to wait for its first byte.
  package var isDelayed: Bool { waitBefore > .zero || waitAfter > .zero }

  /// True if a stream is possible: there is no pace, and no fault except one after a number of events.
  package var allowsStream: Bool {
    guard let faults else { return true }
    return faults[0].pace == nil && (!faults[0].hasFault || fault?.eventLimit != nil)
  }
}

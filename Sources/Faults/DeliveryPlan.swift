/// The part of a plan that concerns the delivery of the message, for the connection: when its bytes are sent, and how
/// it ends.
package struct DeliveryPlan: Sendable {
  private let shared: Plan.Shared?

  init(_ shared: Plan.Shared?) { self.shared = shared }

  package var pace: Pace? { shared?.faults.pace }

  /// The fault in the bytes and their times.
  package var fault: TransportFault? {
    if case .ending(let fault) = shared?.faults.fault?.action { fault } else { nil }
  }

  /// True if the whole message is sent at once.
  package var isWhole: Bool { pace == nil && fault == nil }

  /// A silence that ends before the handler runs; it is part of the wait before the handler.
  package var silenceBefore: Duration? {
    guard let fault, fault.first == .nothing, let hold = fault.hold, hold.then == .resume,
      shared?.faults.fault?.phase == .before
    else { return nil }
    return hold.duration
  }

  /// The delay before the handler runs. An offline sandbox has none, whatever else is planned.
  package var waitBefore: Duration {
    guard let faults = shared?.faults, fault?.isImmediate != true else { return .zero }
    return faults.delayBefore + (silenceBefore ?? .zero)
  }

  /// The delay after the state change, before the response's first byte.
  package var waitAfter: Duration {
    guard let faults = shared?.faults, fault?.isImmediate != true else { return .zero }
    return faults.delayAfter
  }

  /// True if a stream is possible: there is no pace, and no fault except one after a number of events.
  package var allowsStream: Bool {
    pace == nil && (shared?.faults.fault == nil || fault?.eventLimit != nil)
  }
}

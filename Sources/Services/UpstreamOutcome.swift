package import Primitives

/// The result of asking the backend, for the journal.
package struct UpstreamOutcome: Sendable, Equatable {
  /// The reason for which there is no complete answer.
  package enum Failure: String, Sendable {
    case unreachable, timeout, malformed
  }

  /// The status of its answer; nil if no head arrived.
  package let status: Int?
  package var failure: Failure?
  /// The time until the answer was complete, or could be passed on.
  package let duration: NanosecondDuration
  /// True if its client had left before.
  package var isLate = false

  /// True if the backend may have carried out the request without saying so.
  package var leavesEffectUnknown: Bool { failure == .timeout || failure == .malformed }

  package init(status: Int?, failure: Failure?, duration: NanosecondDuration) {
    self.status = status
    self.failure = failure
    self.duration = duration
  }
}

package import Primitives

/// The result of asking the backend, for the journal.
package struct UpstreamOutcome: Sendable, Equatable {
  /// The reason for which there is no complete answer.
  package enum Failure: String, Sendable {
    case unreachable, timeout, malformed
  }

  /// The effect of a write, as far as an answer tells it.
  package enum Effect: Sendable {
    case applied, notApplied, unknown

    /// Reads the effect of a write in its answer (RFC 9110 section 15).
    ///
    /// - Parameters:
    ///   - status: The status of the answer.
    ///   - isDeclared: True if it is declared what the request does. Forms are answered by 301 or 302 when they are done, and
    ///     so are requests to a place that has moved.
    ///   - asksForRetry: True if the answer says when to ask again.
    package init(status: Int, isDeclared: Bool, asksForRetry: Bool) {
      self =
        switch status {
        // The result of the request stands elsewhere.
        case 200..<300, 303: .applied
        case 301, 302: isDeclared ? .applied : .unknown
        case 503 where asksForRetry: .notApplied
        case 500...: .unknown
        default: .notApplied
        }
    }
  }

  /// The status of its answer; nil if no head arrived.
  package let status: Int?
  package private(set) var failure: Failure?
  /// True if the answer ended too early when its head had been passed on.
  package private(set) var isCut = false
  /// The time until the answer was complete, or could be passed on.
  package let duration: NanosecondDuration
  /// True if its client had left before.
  package var isLate = false

  /// Records that the answer, whose head had been passed on, did not come to its end.
  package mutating func cut(_ failure: Failure) { (self.failure, isCut) = (failure, true) }

  /// True if the backend may have carried out the request without saying so.
  package var leavesEffectUnknown: Bool { effect == .unknown || failure == .timeout || failure == .malformed }

  /// The effect of a write as its answer tells it.
  private let effect: Effect

  package init(status: Int?, failure: Failure?, effect: Effect = .notApplied, duration: NanosecondDuration) {
    self.status = status
    self.failure = failure
    self.effect = effect
    self.duration = duration
  }
}

import Contract
import Faults
import Primitives

/// The outcome of an exchange, and what its client learnt from it.
extension Observation {
  /// The outcome from the client's point of view.
  enum Result: Sendable, Equatable {
    case success
    /// 4xx: the same request will fail again, except for `isWorthRepeating`.
    case rejected(Int)
    /// 5xx, 429 and similar: a later request may succeed.
    case unavailable(Int)
    /// Complete, but not a response of the API.
    case damaged
    /// No response, or only a part of it.
    case lost
    /// The server itself ended it; this is not the client's failure.
    case cut
  }

  var result: Result {
    if outcome == .cut || outcome == .pending { return .cut }
    guard hasResponse, let status else { return .lost }
    if outcome == .sent, entry[.damagePlanned] { return .damaged }
    switch status {
    case 408, 425, 429, 500...: return .unavailable(status)
    case 400...: return .rejected(status)
    default: return .success
    }
  }

  /// True if its client got the response, or as much of it as it wanted: the client of a write may close after the head.
  private var hasResponse: Bool {
    switch outcome {
    case .sent, .notDeliverable: true
    case .peerGone: isWrite && status != nil && plan.ending == nil && plan.delayAfter == .zero
    case .pending, .reset, .closed, .cut, .event: false
    }
  }

  /// True if the API said that it will not do it.
  var isRefused: Bool { if case .rejected = result { true } else { false } }

  /// True if it succeeded in taking from a counter, and named no record to take from.
  var takesNothing: Bool {
    subject.isTaking && !isApplied && key == nil && isSuccess && purpose.isNone
  }

  /// True if an outage kept it from the backend: such an attempt is no load.
  var isOutage: Bool { plan.ending?.kind == Offline.kind }

  /// Moments by a clock that is never advanced, and that stands still while the sandbox is off the network, as it was read
  /// at the exchange's end: an arrival is too early only where an outage began and ended during the exchange.
  var arrivalOnline: MonotonicInstant { arrival - advanced.lowerBound - timeOffline }
  var endOnline: MonotonicInstant { end - advanced.upperBound - timeOffline }

  /// True if a client that sends the same again may be retrying.
  var hasFailed: Bool {
    if isSuccess { return false }
    return switch result {
    case .success, .cut: false
    // A tolerant client reads what drifted, and JSON that is called HTML: its next read may be no retry.
    case .damaged: isWrite || !isReadableByTolerance
    case .rejected, .unavailable, .lost: true
    }
  }

  /// True if it came whole and as JSON, though not as the API has it.
  private var isReadableByTolerance: Bool {
    guard let kind = plan.damage?.kind else { return false }
    return kind == .drift || kind == .wrongType
  }

  /// True if it returned records to its client, or changed them. What drifted can still be read, and a record that is
  /// missing was deleted, or never made.
  var informsClient: Bool {
    // Behind an unknown API a head may say all that its client wants to know.
    guard method != "HEAD" || isOfUnknownAPI else { return false }
    return switch result {
    case .success, .rejected(404), .rejected(410): true
    case .damaged: isWrite || status == 200 && !isUnreadable
    case .rejected, .unavailable, .lost, .cut: isWrite
    }
  }

  /// True if it came whole with 2xx, and a body that a strict client of the API cannot read.
  var isUnreadable: Bool {
    guard result == .damaged, let status, 200..<300 ~= status, let kind = plan.damage?.kind else { return false }
    return kind == .corrupt || kind == .wrongType || kind == .captivePortal
  }

  /// Returns true if the client learnt the outcome of a write from it, or if it makes the write irrelevant.
  ///
  /// - Parameter operation: The write's.
  func resolves(_ write: Intent?, of api: Int?, by operation: Contract.Operation?) -> Bool {
    guard informsClient else { return false }
    if isDeclaredToShow(operation) { return true }
    guard let intent, let write, api == self.api, !namesNothing else { return false }
    // A head tells whether something is there, and not how often.
    return intent.resolves(write) && (method != "HEAD" || write.overwrites)
  }

  /// True if it is a read of which a file of semantics says that its response shows what became of an operation.
  func isDeclaredToShow(_ operation: Contract.Operation?) -> Bool {
    subject.shows.contains { $0 === operation }
  }

  /// True if the instant is known at which the client knew its end. The server notices a disconnection at once only
  /// during a silence; otherwise when the response is due.
  var isEndKnown: Bool {
    guard outcome == .peerGone else { return true }
    return plan.ending?.hold != nil
  }
}

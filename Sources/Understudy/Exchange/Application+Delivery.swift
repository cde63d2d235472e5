import Primitives
import Report

extension Application {
  /// The outcome of an exchange on the wire.
  struct Delivery {
    private(set) var outcome: ExchangeOutcome
    /// True if the connection had served another request, so that a client's transport may send this one again by
    /// itself.
    let isOnUsedConnection: Bool
    /// True if the response goes on as a stream, at whose end its line is logged.
    var isContinued = false
    /// True if the record is judged at the end of that stream.
    var awaitsContent = false
    /// True if the client had left before a backend answered.
    var isLate = false
    /// The end of the exchange, and the position of the response's field lines in the journal's ring; nil if it ends now.
    var earlier: (end: MonotonicInstant, fields: Range<Int>)?

    init(outcome: ExchangeOutcome, isOnUsedConnection: Bool) {
      self.outcome = outcome
      self.isOnUsedConnection = isOnUsedConnection
    }

    /// Notes that the response did not arrive. One that could not be written as planned stays undeliverable.
    ///
    /// - Parameter wasAsked: True if the client left while a backend was asked.
    mutating func noteLoss(_ outcome: ExchangeOutcome, wasAsked: Bool) {
      if self.outcome == .sent { self.outcome = outcome }
      isLate = wasAsked && outcome == .peerGone
    }
  }
}

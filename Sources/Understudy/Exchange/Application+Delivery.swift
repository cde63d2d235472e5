import Primitives
import Report

extension Application {
  /// The outcome of an exchange on the wire, and what was sent of its response.
  struct Delivery {
    private(set) var outcome: ExchangeOutcome
    /// The response in the output, as far as it was released; nil if none was written.
    let transmission: Transmission?
    /// The field lines that were released.
    private(set) var fieldLines: ArraySlice<UInt8>
    /// True if the connection had served another request, so that a client's transport may send this one again by
    /// itself.
    let isOnUsedConnection: Bool
    /// True if the response goes on as a stream, at whose end its line is logged.
    var isContinued = false
    /// True if the entry is judged at the end of that stream.
    var awaitsContent = false
    /// True if the client had left before a backend answered.
    var isLate = false
    /// The end of the exchange; nil if it ends now.
    private(set) var end: MonotonicInstant?

    /// - Parameter output: The bytes that contain the response.
    init(
      outcome: ExchangeOutcome, isOnUsedConnection: Bool, _ transmission: Transmission? = nil, in output: [UInt8] = []
    ) {
      self.outcome = outcome
      self.isOnUsedConnection = isOnUsedConnection
      self.transmission = transmission
      fieldLines = transmission.map { output[$0.sentFieldLines(in: output)] } ?? []
    }

    /// Ends the exchange, whose entry is completed later. By then the output has dropped what was sent.
    mutating func end(at now: MonotonicInstant) {
      end = now
      fieldLines = Array(fieldLines)[...]
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

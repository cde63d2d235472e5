/// The state of a server's connection between its requests and responses (RFC 9112 9), modelled on h11.
///
/// It guarantees one final response per request, in order, and no byte after the last one. The owner of the connection
/// reports each event; an event that does not fit the state is a programming error and stops the program.
package struct ConnectionState: Sendable, Equatable {
  /// The combined states of both ends; no other combination can occur.
  package enum Phase: UInt8, Sendable, CaseIterable {
    /// No byte has arrived, and no response is owed.
    case idle
    /// A request has begun to arrive.
    case receiving
    /// A complete request waits for its final response.
    case mustRespond
    /// A complete request waits for the connection's last response.
    case mustRespondLast
    /// The head of a final response is written; its content follows.
    case sending
    /// As `sending`, for the connection's last response.
    case sendingLast
    /// Nothing more may be written; this end is about to be shut down.
    case mustClose
    /// Nothing more may be written; the connection is about to end with RST.
    case mustReset
    /// This end is shut down. Bytes that still arrive are discarded, so that no reset overtakes the last response
    /// (RFC 9112 9.6).
    case lingering
    /// Both ends are finished.
    case closed
  }

  /// An event on a connection.
  package enum Event: UInt8, Sendable, CaseIterable {
    /// The first byte of a request arrived.
    case requestBegan
    /// A request is complete, and the connection may persist.
    case requestCompleted
    /// A request is complete and is the last one on this connection.
    case lastRequestCompleted
    /// The bytes were rejected, or the request timed out while it arrived; a response is still owed.
    case requestRefused
    /// The peer will send no more bytes. To be reported after the parser returned `needsMore`.
    case peerFinished
    /// A 1xx response was written.
    case interimResponseWritten
    /// The head of a final response was written.
    case responseBegan
    /// The head of a final response was written, with `Connection: close` by the server's choice.
    case lastResponseBegan
    /// A part of a final response's content was written.
    case responseContinued
    /// A final response is complete.
    case responseEnded
    /// A final response cannot be completed; the connection must end so that the client sees it incomplete (RFC 9112
    /// 8).
    case responseAborted
    /// The server gives up an idle connection.
    case gaveUp
    /// The server shut down its end.
    case shutDown
    /// The connection is to end with RST at once.
    case resetRequested
    /// The socket is gone, for any reason.
    case disconnected
  }

  package private(set) var phase = Phase.idle
  /// The number of requests so far that need a final response.
  package private(set) var requests = 0

  package init() {}

  /// Applies an event.
  package mutating func advance(_ event: Event) {
    guard let next = ConnectionState.transition(from: phase, on: event) else {
      preconditionFailure("\(event) while \(phase)")
    }
    switch event {
    case .requestCompleted, .lastRequestCompleted, .requestRefused: requests += 1
    case .peerFinished where phase == .receiving: requests += 1
    default: break
    }
    phase = next
  }

  /// Returns the response's `Connection` field (RFC 9112 9.3). To be called before the response begins.
  package func option(for version: Version, closing: Bool = false) -> ConnectionOption {
    if closing || phase == .mustRespondLast { return .close }
    return version == .http10 ? .keepAlive : .unneeded
  }

  /// The state table; nil if the event does not fit the state.
  package static func transition(from phase: Phase, on event: Event) -> Phase? {
    switch (phase, event) {
    case (_, .disconnected), (.closed, .resetRequested): .closed
    case (_, .resetRequested), (.mustReset, .peerFinished): .mustReset

    case (.idle, .requestBegan): .receiving
    case (.idle, .peerFinished), (.idle, .gaveUp): .mustClose

    case (.receiving, .requestCompleted): .mustRespond
    case (.receiving, .lastRequestCompleted), (.receiving, .requestRefused): .mustRespondLast
    case (.receiving, .peerFinished): .mustRespondLast
    case (.receiving, .interimResponseWritten): .receiving

    case (.mustRespond, .interimResponseWritten): .mustRespond
    case (.mustRespond, .responseBegan): .sending
    case (.mustRespond, .lastResponseBegan): .sendingLast
    case (.mustRespond, .peerFinished): .mustRespondLast
    case (.mustRespond, .responseAborted): .mustClose

    case (.mustRespondLast, .interimResponseWritten), (.mustRespondLast, .peerFinished): .mustRespondLast
    case (.mustRespondLast, .responseBegan), (.mustRespondLast, .lastResponseBegan): .sendingLast
    case (.mustRespondLast, .responseAborted): .mustClose

    case (.sending, .responseContinued): .sending
    case (.sending, .responseEnded): .idle
    case (.sending, .responseAborted): .mustClose
    case (.sending, .peerFinished): .sendingLast

    case (.sendingLast, .responseContinued), (.sendingLast, .peerFinished): .sendingLast
    case (.sendingLast, .responseEnded), (.sendingLast, .responseAborted): .mustClose

    case (.mustClose, .peerFinished): .mustClose
    case (.mustClose, .shutDown): .lingering
    case (.lingering, .peerFinished): .closed
    default: nil
    }
  }
}

/// The `Connection` field of a response (RFC 9110 7.6.1).
package enum ConnectionOption: Sendable, Equatable {
  /// No field: HTTP/1.1 connections persist by default.
  case unneeded
  case keepAlive
  case close

  /// True if a response of unknown length is sent in chunks, and not ended by the end of the connection.
  package var allowsChunks: Bool { self == .unneeded }
}

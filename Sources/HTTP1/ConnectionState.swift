/// Where a server's connection stands between its requests and replies (RFC 9112 9), after the manner of h11.
///
/// It promises one final reply per request, in order, and no byte after the last one. Whoever drives a connection
/// tells it each event; an event that does not fit is a mistake in the driver and stops the program.
package struct ConnectionState: Sendable, Equatable {
  /// The states of both ends together; only these combinations can come about.
  package enum Phase: UInt8, Sendable, CaseIterable {
    /// Nothing has come and nothing is owed.
    case idle
    /// A request has begun to come.
    case receiving
    /// A whole request waits for its final reply.
    case mustReply
    /// A request waits for the connection's last reply.
    case mustReplyLast
    /// The head of a final reply is written and its content follows.
    case sending
    /// The same for the connection's last reply.
    case sendingLast
    /// Nothing may be written any more; this end is to be shut down.
    case mustClose
    /// This end is shut; what still comes is read and thrown away, so that no reset overtakes the last reply
    /// (RFC 9112 9.6).
    case lingering
    /// Both ends are done.
    case closed
  }

  /// What can happen to a connection.
  package enum Event: UInt8, Sendable, CaseIterable {
    /// The first byte of a request came.
    case requestBegan
    /// A request is whole and the connection may live on.
    case requestCompleted
    /// A request is whole and is the connection's last.
    case lastRequestCompleted
    /// The bytes were refused, or time ran out while they came; a reply is still owed.
    case requestRefused
    /// The peer will send no more; to be told after the parser has said `needsMore`.
    case peerFinished
    /// A 1xx reply was written.
    case interimReplied
    /// A final reply's head was written.
    case replyBegan
    /// A final reply's head was written, with `Connection: close` by the server's own choice.
    case lastReplyBegan
    /// A part of a final reply's content was written.
    case replyContinued
    /// A final reply is complete.
    case replyEnded
    /// A final reply cannot be completed, so its end must be a broken one (RFC 9112 8).
    case replyAborted
    /// An idle connection is no longer wanted.
    case gaveUp
    /// The server shut its own end down.
    case shutDown
    /// The socket is gone, for whatever reason.
    case disconnected
  }

  package private(set) var phase = Phase.idle
  /// Requests that need a final reply, so far.
  package private(set) var requests = 0

  package init() {}

  /// Takes an event in.
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

  /// The reply's `Connection` field (RFC 9112 9.3), to be asked for before the reply begins.
  package func option(for version: Version, closing: Bool = false) -> ConnectionOption {
    if closing || phase == .mustReplyLast { return .close }
    return version == .http10 ? .keepAlive : .unneeded
  }

  /// The one table; nil where an event does not fit.
  package static func transition(from phase: Phase, on event: Event) -> Phase? {
    switch (phase, event) {
    case (_, .disconnected): .closed

    case (.idle, .requestBegan): .receiving
    case (.idle, .peerFinished), (.idle, .gaveUp): .mustClose

    case (.receiving, .requestCompleted): .mustReply
    case (.receiving, .lastRequestCompleted), (.receiving, .requestRefused): .mustReplyLast
    case (.receiving, .peerFinished): .mustReplyLast
    case (.receiving, .interimReplied): .receiving

    case (.mustReply, .interimReplied): .mustReply
    case (.mustReply, .replyBegan): .sending
    case (.mustReply, .lastReplyBegan): .sendingLast
    case (.mustReply, .peerFinished): .mustReplyLast
    case (.mustReply, .replyAborted): .mustClose

    case (.mustReplyLast, .interimReplied), (.mustReplyLast, .peerFinished): .mustReplyLast
    case (.mustReplyLast, .replyBegan), (.mustReplyLast, .lastReplyBegan): .sendingLast
    case (.mustReplyLast, .replyAborted): .mustClose

    case (.sending, .replyContinued): .sending
    case (.sending, .replyEnded): .idle
    case (.sending, .replyAborted): .mustClose
    case (.sending, .peerFinished): .sendingLast

    case (.sendingLast, .replyContinued), (.sendingLast, .peerFinished): .sendingLast
    case (.sendingLast, .replyEnded), (.sendingLast, .replyAborted): .mustClose

    case (.mustClose, .peerFinished): .mustClose
    case (.mustClose, .shutDown): .lingering
    case (.lingering, .peerFinished): .closed
    default: nil
    }
  }
}

/// What a reply says about its connection (RFC 9110 7.6.1).
package enum ConnectionOption: Sendable, Equatable {
  /// Nothing, since 1.1 connections live on by themselves.
  case unneeded
  case keepAlive
  case close
}

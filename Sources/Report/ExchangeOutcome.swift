/// The end of an exchange.
///
/// It is public, so that the compiler inlines comparisons in other modules; see `MonotonicInstant`.
public enum ExchangeOutcome: Sendable, Equatable {
  /// The response is not complete yet.
  case pending
  /// The complete response was released to the socket; corrected if the peer leaves before it is sent.
  case sent
  /// The response ended with RST.
  case reset
  /// The response ended with FIN before it was complete.
  case closed
  /// The peer closed the connection before the response was complete.
  case peerGone
  /// The plan could not be carried out, for example because there was nothing to truncate. The whole response was
  /// sent.
  case notDeliverable
  /// The server stopped, or the sandbox was deleted.
  case cut
  /// Not a request: the state was changed in another way.
  case event

  /// The word for it in the journal and on the card.
  package var word: String {
    switch self {
    case .pending: "pending"
    case .sent: "sent"
    case .reset: "reset"
    case .closed: "closed"
    case .peerGone: "peer gone"
    case .notDeliverable: "not deliverable"
    case .cut: "cut"
    case .event: "event"
    }
  }
}

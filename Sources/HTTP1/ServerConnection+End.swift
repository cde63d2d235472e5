package import Primitives

/// The end of a connection.
extension ServerConnection {
  /// Makes the connection end after the responses to the requests received so far.
  package mutating func drain() { isDraining = true }

  /// Makes the connection end by RST at once. Returns the storage of the dropped output.
  package mutating func reset() -> [[UInt8]] {
    state.advance(.resetRequested)
    timeout = .distantFuture
    return output.removeAll()
  }

  /// Records that the connection has ended. Returns the storage of the dropped output.
  package mutating func disconnect() -> [[UInt8]] {
    state.advance(.disconnected)
    return output.removeAll()
  }

  /// Records that FIN was sent.
  package mutating func didShutDown(at now: MonotonicInstant) {
    state.advance(.shutDown)
    timeout = now + timeouts.linger
    if hasPeerFinished { state.advance(.peerFinished) }
  }

  /// The outcome of a timeout.
  package enum Expiration: Sendable {
    /// The connection was idle, and closes.
    case idle
    /// A request has not arrived completely, and was given up.
    case request
    /// The content of a request takes long: `next(at:isDeferred:)` says so.
    case content
    /// The peer accepts nothing, or its response takes too long: the connection is to end at once.
    case stalled
  }

  /// Gives up the request that is arriving, whose response is to be the connection's last one. Content that still arrives is
  /// read and discarded after that response.
  package mutating func giveUpRequest() {
    parser.giveUp()
    headBegan = nil
    refuse()
  }

  /// Records that `timeout` has passed.
  package mutating func expire() -> Expiration {
    if output.pending > 0 { return .stalled }
    switch state.phase {
    case .idle where parser.isIdle:
      state.advance(.gaveUp)
      return .idle
    case .idle, .receiving:
      if mayBeginWithoutRest { return .content }
      giveUpRequest()
      return .request
    default: return .stalled
    }
  }
}

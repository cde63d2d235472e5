import Primitives

/// Content that comes in parts, after its request has begun.
extension ServerConnection {
  /// Returns the request of the event `contentIsLong`. The response to it is the connection's last one.
  package mutating func takePart() -> Request {
    (headBegan, contentBegan) = (nil, nil)
    awaited = .idle
    awaitsContent = true
    state.advance(.lastRequestCompleted)
    return parser.takePart()
  }

  /// Awaits all content of the event `contentIsLong`, up to a limit.
  package mutating func awaitContent(atMost limit: Int) {
    awaitsAllContent = true
    parser.awaitContent(atMost: limit)
  }

  /// Begins another protocol on the connection, after the head of the response that says so.
  package mutating func beginTunnel() {
    parser.beginTunnel()
    awaitsContent = true
  }

  /// True if the connection has another protocol.
  package var isTunnel: Bool { parser.isTunnel }

  /// Returns the next part of the content of the current request.
  package mutating func nextContent() -> RequestParser.ContentStep {
    let step = parser.nextContent()
    switch step {
    case .end, .rejected: awaitsContent = false
    case .part, .needsMore: break
    }
    return step
  }

  /// True if the content of a request is arriving, and the rest may come in parts.
  var mayBeginWithoutRest: Bool {
    parser.limits.awaitedContent != nil && !awaitsAllContent && parser.arrivedContent != nil
  }

  /// Returns true if a request whose content is incomplete may begin.
  func isContentLong(at now: MonotonicInstant) -> Bool {
    guard !awaitsAllContent, let limit = parser.limits.awaitedContent,
      let arrived = parser.arrivedContent
    else {
      return false
    }
    return arrived >= limit
      || contentBegan.map { $0 + timeouts.awaitedContent <= now } ?? false
  }
}

extension ConnectionState.Phase {
  /// True if a response is owed, or has not been written to its end.
  var owesResponse: Bool {
    switch self {
    case .mustRespond, .mustRespondLast, .sending, .sendingLast: true
    default: false
    }
  }
}

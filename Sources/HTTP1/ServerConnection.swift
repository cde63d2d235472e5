package import Primitives

/// The server's end of a connection as a machine without I/O (RFC 9112): bytes and instants in, requests and bytes out.
package struct ServerConnection: ~Copyable, Sendable {
  package let timeouts: Timeouts
  package internal(set) var state = ConnectionState()
  package var output = OutputBuffer()
  /// The instant at which to call `expire()`, unless another event comes first.
  package internal(set) var timeout: MonotonicInstant
  /// True if the connection ends after the responses to the requests received so far.
  package internal(set) var isDraining = false
  package private(set) var hasPeerFinished = false
  /// True if requests may wait in the parser because too much output is unsent, or because they are deferred.
  package private(set) var isPaused = false
  /// True if the next request waits until its owner may begin one.
  package private(set) var isDeferred = false
  package internal(set) var parser: RequestParser
  /// The number of bytes that arrived while a response was owed. A few are accepted; more have to wait in the kernel.
  private var received = 0
  /// True while content of the current request, or bytes of another protocol, come in parts.
  package internal(set) var awaitsContent = false
  /// True if the owner takes more of them.
  package var acceptsContent = true
  /// True if all content of the current request is awaited, whatever its length.
  var awaitsAllContent = false
  /// The instant at which the content of the current request was first awaited; nil if none is.
  var contentBegan: MonotonicInstant?
  /// The part of a request for which the connection waits, as of the parser's last step.
  var awaited = RequestParser.Phase.idle
  /// The instant at which the current head began to arrive.
  var headBegan: MonotonicInstant?
  /// The instant since which the peer has accepted none of the pending output; nil if no timeout depends on it yet.
  private var blockedSince: MonotonicInstant?

  /// While the unsent output is larger than this, no further request is examined until all of it is sent.
  package static let highWater = 256 << 10
  /// While a response is owed, at most this many bytes and one reading are accepted after the request.
  package static let readAhead = 16 << 10

  package init(limits: Limits = .standard, timeouts: Timeouts, at now: MonotonicInstant) {
    parser = RequestParser(limits: limits)
    self.timeouts = timeouts
    timeout = now + timeouts.idle
  }

  /// An event that requires a response.
  package enum Event: Sendable {
    /// The connection owes a response to a request.
    case request
    /// The content is long, or takes long to come: the request may begin without the rest of it, by `takePart()`. Otherwise
    /// `awaitContent(atMost:)` must follow.
    case contentIsLong
    /// The client waits for `100 Continue` or for a final response before it sends the request's content.
    case expectsContinue
    /// The connection owes its last response to a malformed request.
    case rejected(Rejection)
  }

  /// The owner's action after everything released has been sent.
  package enum PendingAction: Sendable, Equatable {
    case resume
    /// Send FIN, then call `didShutDown(at:)`.
    case shutDown
    /// Send RST, then call `disconnect()`.
    case reset
    case close
  }

  package var pendingAction: PendingAction {
    switch state.phase {
    case .closed: .close
    case .mustClose: .shutDown
    case .mustReset: .reset
    default: .resume
    }
  }

  /// The actions of the connection's owner after an event.
  package struct Actions: Sendable {
    package let pending: PendingAction
    /// True if the connection can use more bytes from the peer now.
    package let wantsToRead: Bool
    package let wantsToWrite: Bool
    /// The number of stored bytes of the output.
    package let unsentBytes: Int
    /// The part of them that waits for the peer to read.
    package let unreadBytes: Int
    package let isDeferred: Bool
    /// The number of stored bytes of a request whose content is arriving.
    package let arrivingBytes: Int
    package let timeout: MonotonicInstant
  }

  /// Returns the owner's actions. It is `mutating` only so that the compiler does not copy a value of this size.
  package mutating func actions() -> Actions {
    Actions(
      pending: pendingAction, wantsToRead: wantsToRead, wantsToWrite: output.pending > 0,
      unsentBytes: output.count,
      unreadBytes: output.unreadCount,
      isDeferred: isDeferred, arrivingBytes: parser.arrivingBytes, timeout: timeout)
  }

  /// True if the connection can use more bytes from the peer now.
  package var wantsToRead: Bool {
    if case .closed = state.phase { return false }
    if awaitsContent, state.phase.owesResponse { return !hasPeerFinished && acceptsContent }
    return !hasPeerFinished && !isPaused && received < Self.readAhead
  }

  /// Returns true if the connection may go on without another event: with requests that it has received, or to its end.
  /// It is `mutating` only so that the compiler does not copy the value.
  package mutating func mayHaveMore() -> Bool { !isIdle || isDraining || hasPeerFinished }

  /// True if the connection is between requests, and can be closed without loss.
  package var isIdle: Bool { state.phase == .idle && parser.isIdle && output.pending == 0 }
}

extension ServerConnection {
  /// Receives bytes from the peer.
  ///
  /// - Parameter isBusy: True if a response is owed, so that further requests wait.
  package mutating func receive(_ bytes: consuming ArraySlice<UInt8>, isBusy: Bool) {
    switch state.phase {
    case .lingering, .mustClose, .mustReset: return
    default: break
    }
    if isBusy, !awaitsContent { received += bytes.count }
    parser.receive(bytes)
  }

  /// Records that the peer will send no more bytes; returns true if complete requests may still wait, which come first.
  package mutating func finish() -> Bool {
    hasPeerFinished = true
    switch state.phase {
    // Complete requests may wait behind responses that the peer has not accepted.
    case .idle, .receiving: return true
    // They may also wait behind the current response.
    case .mustRespond where !parser.isIdle, .sending where !parser.isIdle, .closed: return false
    default:
      state.advance(.peerFinished)
      return false
    }
  }

  /// Returns the next event; nil if the peer has to send more, or the connection has to wait.
  ///
  /// - Parameter isDeferred: True if no request may begin now.
  package mutating func next(at now: MonotonicInstant, isDeferred: Bool) -> Event? {
    isPaused = false
    received = 0
    guard state.phase.allowsRequests else { return nil }
    let isDeferred = isDeferred && !parser.isIdle
    self.isDeferred = isDeferred
    isPaused = isDeferred || output.byteCount >= Self.highWater
    // No timeout must end a request that is complete, and only waits for its turn.
    if isDeferred { awaitOwner(at: now) }
    if isPaused { return nil }
    switch parser.next() {
    case .request:
      begin()
      headBegan = nil
      contentBegan = nil
      awaitsAllContent = false
      awaited = .idle
      state.advance(parser.persists && !isDraining ? .requestCompleted : .lastRequestCompleted)
      return .request
    case .needsMore(let part):
      awaited = part
      if let rejection = needsMore(at: now) { return refused(rejection) }
      guard isContentLong(at: now) else { return nil }
      begin()
      return .contentIsLong
    case .expectsContinue:
      begin()
      return .expectsContinue
    case .rejected(let rejection): return refused(rejection)
    }
  }

  /// Returns the request of the event `request`.
  package mutating func takeRequest() -> Request { parser.takeRequest() }

  /// Returns the request of the event `expectsContinue` or `contentIsLong`, as far as it was read.
  package var unfinishedRequest: Request { parser.unfinished ?? .unknown }

  /// Returns the request that was rejected, refused or timed out, as far as it was read.
  package mutating func takeRefusedRequest() -> Request { parser.takeRefusedRequest() }

  private mutating func begin() {
    if state.phase == .idle { state.advance(.requestBegan) }
  }

  private mutating func refused(_ rejection: Rejection) -> Event {
    refuse()
    return .rejected(rejection)
  }

  private mutating func needsMore(at now: MonotonicInstant) -> Rejection? {
    awaitMore(at: now)
    if hasPeerFinished {
      if let rejection = parser.finish() { return rejection }
      state.advance(.peerFinished)
    }
    if isDraining, isIdle { state.advance(.gaveUp) }
    return nil
  }

  /// Makes the next response the connection's last one.
  mutating func refuse() {
    begin()
    state.advance(.requestRefused)
  }

  /// Writes `100 Continue`.
  package mutating func sendContinue() {
    ResponseHead.appendInterim(100, to: &output.bytes)
    output.releaseAll()
    state.advance(.interimResponseWritten)
  }

  /// Sets the timeout for the peer's next action.
  private mutating func awaitMore(at now: MonotonicInstant) {
    switch awaited {
    case .idle, .ended:
      // An empty line between requests does not begin one.
      headBegan = nil
      timeout = now + timeouts.idle
    case .head:
      let began = headBegan ?? now
      headBegan = began
      timeout = began + timeouts.head
    case .body:
      let began = contentBegan ?? now
      contentBegan = began
      timeout = now + timeouts.body
      if mayBeginWithoutRest { timeout = min(timeout, began + timeouts.awaitedContent) }
    }
  }
}

extension ServerConnection {
  /// Records that the peer accepted some of the output; returns true if requests may have waited for that.
  ///
  /// - Parameter isBusy: True if a response is owed.
  package mutating func didSend(_ count: Int, at now: MonotonicInstant, isBusy: Bool) -> Bool {
    output.advance(by: count)
    blockedSince = output.pending > 0 ? now : nil
    if output.pending == 0, isBusy {
      timeout = .distantFuture
    } else if output.pending > 0 || !state.phase.allowsRequests {
      timeout = now + timeouts.writing
    } else {
      if isPaused || isDraining || hasPeerFinished { return true }
      awaitMore(at: now)
    }
    return false
  }

  /// Sets a timeout for the peer to accept pending output, if nothing else limits the connection's life: otherwise a
  /// peer that disappeared would keep it forever.
  package mutating func awaitPeer(at now: MonotonicInstant) {
    guard timeout == .distantFuture, output.pending > 0 else { return }
    let since = blockedSince ?? now
    blockedSince = since
    timeout = since + timeouts.writing
  }

  /// Lets no timeout limit the connection's life but that for pending output: its owner will go on.
  package mutating func awaitOwner(at now: MonotonicInstant) {
    timeout = .distantFuture
    awaitPeer(at: now)
  }

  /// Lets a deferred request begin.
  package mutating func endDeferral() { isDeferred = false }

  /// Releases the memory that only a busy connection needs; the next request allocates it again.
  package mutating func rest() {
    parser.releaseBuffer()
    output.releaseStorage()
  }
}

extension ConnectionState.Phase {
  /// True if the connection may begin a request, or has begun to receive one.
  fileprivate var allowsRequests: Bool {
    switch self {
    case .idle, .receiving: true
    default: false
    }
  }
}

import Contract
import HTTP1
import Primitives
import Report

/// One client's connection as a state machine: bytes and instants in, bytes and pending actions out. It has no socket.
struct Connection: ~Copyable {
  /// The peer's address.
  let peer: String
  let number: Int
  /// The labels of the port at which the connection arrived.
  let port: Labels
  let backend: Backend
  let timeouts: Timeouts
  var parser = RequestParser()
  var state = ConnectionState()
  var output = OutputBuffer()
  /// The instant at which to call `expire()`, unless another event comes first.
  var timeout: MonotonicInstant
  /// The earliest instant at which to call `resume()`, as the plan of the current exchange requires.
  var wakeUp: MonotonicInstant?
  /// The current exchange.
  private(set) var progress = Progress.none
  /// The phase of the current exchange. It is stored separately, because reading it from `progress` would move the
  /// whole value.
  private(set) var phase = Phase.none
  /// True while changes that the current exchange made or read are not on the disk yet. The loop calls
  /// `resolve(isDurable:)` when they are, or when they were rolled back.
  var awaitsCommit = false
  /// The sandbox of the last exchange with an API.
  var sandbox: String?
  /// Responses that are released and may not be completely sent.
  var unsent: [Backend.Unsent] = []
  var isDraining = false
  var hasPeerFinished = false
  /// True if the connection is to end with RST.
  var isReset = false
  /// True if requests may wait in the parser because too much output is unsent.
  var isPaused = false
  /// True if the next request waits for the next turn of the loop, because this one has reached its limit.
  var isDeferred = false
  /// The last turn of the loop in which the connection began a request, and the number of requests begun in it.
  var begun = (turn: 0, requests: 0)
  /// Work of the current exchange to do off the loop.
  var work: Work?
  /// The ordinal of the exchange whose work is in progress.
  var exchangeAtWork: Int?
  /// The number of bytes that arrived during an exchange. A few are accepted; more have to wait in the kernel.
  var received = 0
  /// The part of a request for which the connection waits, as of the parser's last step.
  private var awaited = RequestParser.Phase.idle
  /// The instant at which the current head began to arrive.
  var headBegan: MonotonicInstant?

  /// While the unsent output is larger than this, no further request is examined until all of it is sent.
  static let highWater = 256 << 10
  /// During an exchange, at most this many bytes and one reading are accepted after the request.
  static let readAhead = 16 << 10

  init(peer: String, port: Labels, backend: Backend, timeouts: Timeouts) {
    self.peer = peer
    self.port = port
    self.backend = backend
    self.timeouts = timeouts
    number = backend.nextConnection()
    timeout = backend.tick + timeouts.idle
  }

  /// The loop's action after everything released has been sent.
  enum PendingAction: Sendable, Equatable {
    case resume
    /// Send FIN, then call `didShutDown()`.
    case shutDown
    /// Send RST, then call `disconnect()`.
    case reset
    case close
  }

  var pendingAction: PendingAction {
    if isReset, state.phase != .closed { return .reset }
    return switch state.phase {
    case .closed: .close
    case .mustClose: .shutDown
    default: .resume
    }
  }

  /// The requests of a connection to its loop after an event.
  struct LoopActions {
    let pendingAction: PendingAction
    let interest: Interest
    /// The number of bytes that wait for the socket, or for their release.
    let unsentBytes: Int
    let awaitsCommit: Bool
    let isDeferred: Bool
    let isStreaming: Bool
    /// Work to begin off the loop.
    let work: Work?
    let wakeUp: MonotonicInstant?
    let timeout: MonotonicInstant
  }

  /// Returns the pending actions for the loop; each piece of work is returned once.
  mutating func takeLoopActions() -> LoopActions {
    var interest: Interest = wantsToRead ? .reading : []
    if output.pending > 0 { interest.insert(.writing) }
    let action = pendingAction
    return LoopActions(
      pendingAction: action, interest: interest, unsentBytes: output.count, awaitsCommit: awaitsCommit,
      isDeferred: isDeferred, isStreaming: phase == .streaming,
      work: work == nil || action == .close ? nil : takeWork(),
      wakeUp: wakeUp, timeout: timeout)
  }

  /// Returns the bytes to send next, as an array and a range in it; nil if there are none.
  mutating func nextPiece(atMost maximum: Int) -> (bytes: [UInt8], range: Range<Int>)? {
    output.pending > 0 ? output.next(atMost: maximum) : nil
  }

  /// True if the connection can use more bytes from the peer now.
  var wantsToRead: Bool {
    if case .closed = state.phase { return false }
    return !hasPeerFinished && !isPaused && received < Self.readAhead
  }

  /// True if the connection is between requests, and can be closed without loss.
  var isIdle: Bool { state.phase == .idle && parser.isIdle && output.pending == 0 }
}

extension Connection {
  /// Stores the current exchange until its next event.
  mutating func hold(_ next: consuming Progress) {
    phase = next.phase
    progress = next
  }

  /// Moves the current exchange out, and leaves none.
  mutating func takeProgress() -> Progress {
    phase = .none
    var taken = Progress.none
    swap(&taken, &progress)
    return taken
  }
}

extension Connection {
  /// Receives bytes from the peer.
  mutating func receive(_ bytes: ArraySlice<UInt8>) {
    switch state.phase {
    case .lingering, .mustClose: return
    default: parser.receive(bytes)
    }
    if phase == .none { advance() } else { received += bytes.count }
  }

  /// Records that the peer will send no more bytes.
  mutating func finish() {
    hasPeerFinished = true
    switch state.phase {
    // Complete requests may still wait behind responses that the peer has not accepted; they come first.
    case .idle, .receiving: advance()
    case .closed: return
    // Requests may also wait behind the current response.
    case .mustRespond where !parser.isIdle, .sending where !parser.isIdle: break
    default: state.advance(.peerFinished)
    }
    endNeedlessSilence()
  }

  /// Records that the socket accepted some of the output.
  mutating func didSend(_ count: Int) {
    output.advance(by: count)
    guard output.pending == 0 else { return timeout = backend.tick + timeouts.writing }
    unsent.removeAll(keepingCapacity: true)
    guard phase == .none else { return timeout = .distantFuture }
    guard state.phase.allowsRequests else { return timeout = backend.tick + timeouts.writing }
    // Requests may have waited for the output.
    if isPaused || isDraining || hasPeerFinished { advance() } else { awaitMore() }
  }

  /// Records that FIN was sent.
  mutating func didShutDown() {
    state.advance(.shutDown)
    timeout = backend.tick + timeouts.linger
    if hasPeerFinished { state.advance(.peerFinished) }
  }

  /// Records that the connection has ended, or must end at once.
  mutating func disconnect() {
    guard state.phase != .closed else { return }
    recordUnsent()
    concludeCurrent(isDraining ? .cut : .peerGone)
    output.discard(on: backend.loop.workers)
    state.advance(.disconnected)
  }

  private mutating func recordUnsent() {
    if output.pending > 0 { backend.recordUnsent(unsent.filter { $0.end > output.sent }) }
  }

  /// Ends the connection by RST at once, also during an exchange, because a fault makes its sandbox unreachable.
  mutating func reset() {
    recordUnsent()
    concludeCurrent(.reset)
    output.discard(on: backend.loop.workers)
    isReset = true
  }

  /// Records that `timeout` has passed.
  mutating func expire() {
    if output.pending > 0 { return disconnect() }
    switch state.phase {
    case .idle where parser.isIdle: state.advance(.gaveUp)
    case .idle, .receiving:
      parser.giveUp()
      refuse(.timeout)
    default: disconnect()
    }
  }

  /// Releases the memory that only a busy connection needs; the next request allocates it again.
  mutating func rest() {
    guard isIdle else { return }
    parser.releaseBuffer()
    output.releaseStorage()
    unsent = []
  }

  /// Makes the connection end after the owed response. A silence that the plan requires ends now.
  mutating func drain() {
    isDraining = true
    // No response is owed, and no recent output could be overtaken by a reset, so there is no need to wait for the
    // peer.
    if isIdle { return disconnect() }
    endNeedlessSilence()
  }
}

extension Connection {
  /// Answers the received requests, until an exchange takes time, no complete request is left, or too much output is
  /// unsent.
  mutating func advance() {
    isPaused = false
    received = 0
    while state.phase.allowsRequests {
      isDeferred = backend.budget.isSpent || isOwnBudgetSpent
      isPaused = isDeferred || output.byteCount >= Self.highWater
      if isPaused { return }
      switch parser.next() {
      case .needsMore(let part):
        awaited = part
        if hasPeerFinished { finishParsing() }
        if isDraining, isIdle { state.advance(.gaveUp) }
        return awaitMore()
      case .expectsContinue:
        begin()
        if respondBeforeContent() { continue }
        ResponseHead.appendInterim(100, to: &output.bytes)
        output.releaseAll()
        state.advance(.interimResponseWritten)
      case .request(let request):
        begin()
        headBegan = nil
        state.advance(request.persists && !isDraining ? .requestCompleted : .lastRequestCompleted)
        start(request)
      case .rejected(let rejection):
        refuse(.rejected(rejection))
      }
    }
  }

  mutating func begin() {
    if state.phase == .idle { state.advance(.requestBegan) }
  }

  private mutating func finishParsing() {
    if let rejection = parser.finish() {
      refuse(.rejected(rejection))
    } else {
      state.advance(.peerFinished)
    }
  }

  /// Sets the timeout for the peer's next action.
  private mutating func awaitMore() {
    let now = backend.tick
    switch awaited {
    case .idle, .ended:
      // An empty line between requests does not begin one.
      headBegan = nil
      timeout = now + timeouts.idle
    case .head:
      let began = headBegan ?? now
      headBegan = began
      timeout = began + timeouts.head
    case .body: timeout = now + timeouts.body
    }
  }
}

import Contract
import HTTP1

/// One client's connection as a machine: bytes and moments go in, bytes and wishes come out. It has no socket.
final class Connection {
  /// Who is at the other end, as its address.
  let peer: String
  let number: Int
  /// What the port that it came in by says.
  let port: Labels
  let backend: Backend
  let timeouts: Timeouts
  var parser = RequestParser()
  var state = ConnectionState()
  var output = OutputBuffer()
  /// When to call `expire()`, unless something happens before.
  var timeout: Tick
  /// When to call `resume()`, at the earliest: the plan of the exchange under way asks for it.
  var wakeUp: Tick?
  /// The exchange under way, as far as it has come.
  var progress = Progress.none
  /// Whether what the exchange under way did or saw has yet to reach the disk; the loop tells by `settle(isKept:)`.
  var isHeldForDisk = false
  /// The sandbox of the last exchange with an API.
  var sandbox: String?
  /// Replies that are released and perhaps not yet all sent.
  var unsent: [Backend.Unsent] = []
  var isDraining = false
  var hasPeerFinished = false
  /// Whether the connection is to end by RST.
  var isReset = false
  /// Whether requests may wait in the parser because too many replies wait to be sent.
  var isHeld = false
  /// True when the next request waits for the next turn of the loop, which has done enough in this one.
  var isDeferred = false
  /// The turn of the loop in which it began a request last, and how many it began in that turn.
  var begun = (turn: 0, requests: 0)
  /// The work that the current exchange needs done off the loop.
  var work: Work?
  /// The exchange whose work was taken and is not finished, by its ordinal.
  var exchangeAtWork: Int?
  /// Bytes that came while an exchange was under way; a few are welcome, many have to wait in the kernel.
  var received = 0
  /// When the head that is coming began to come.
  var headBegan: Tick?

  /// While the output weighs more than this, no further request is looked at until all of it is sent.
  static let highWater = 256 << 10
  /// While an exchange is under way, no more than this and one reading are taken of what comes behind it.
  static let readAhead = 16 << 10

  init(peer: String, port: Labels, backend: Backend, timeouts: Timeouts) {
    self.peer = peer
    self.port = port
    self.backend = backend
    self.timeouts = timeouts
    number = backend.nextConnection()
    timeout = backend.tick + timeouts.idle
  }

  /// What the loop is to do once everything that is released has been sent.
  enum Wish: Sendable, Equatable {
    case goOn
    /// Send FIN, then tell `didShutDown()`.
    case shutDown
    /// Send RST, then tell `disconnect()`.
    case reset
    case close
  }

  var wish: Wish {
    if isReset, state.phase != .closed { return .reset }
    return switch state.phase {
    case .closed: .close
    case .mustClose: .shutDown
    default: .goOn
    }
  }

  /// Whether more bytes from the peer would be of use now.
  var wantsToRead: Bool {
    !hasPeerFinished && !isHeld && received < Self.readAhead && state.phase != .closed
  }

  /// Whether the connection is between requests, and can be closed without loss.
  var isIdle: Bool { state.phase == .idle && parser.isIdle && output.pending == 0 }
}

extension Connection {
  /// Takes bytes that came from the peer.
  func receive(_ bytes: ArraySlice<UInt8>) {
    guard state.phase != .lingering, state.phase != .mustClose else { return }
    parser.receive(bytes)
    if progress.isNone { advance() } else { received += bytes.count }
  }

  /// Takes note that the peer will send no more.
  func finish() {
    hasPeerFinished = true
    switch state.phase {
    // Whole requests may still wait behind replies that the peer has not taken; they come first.
    case .idle, .receiving: advance()
    case .closed: return
    // They may wait behind the reply that is under way, too.
    case .mustReply where !parser.isIdle, .sending where !parser.isIdle: break
    default: state.advance(.peerFinished)
    }
    endSilenceIfVain()
  }

  /// Takes note that the socket took some of the output.
  func didSend(_ count: Int) {
    output.advance(by: count)
    timeout = backend.tick + timeouts.writing
    guard output.pending == 0 else { return }
    unsent.removeAll(keepingCapacity: true)
    if progress.isNone { advance() } else { timeout = .distantFuture }
  }

  /// Takes note that FIN was sent.
  func didShutDown() {
    state.advance(.shutDown)
    timeout = backend.tick + timeouts.linger
    if hasPeerFinished { state.advance(.peerFinished) }
  }

  /// Takes note that the connection is gone, or must go at once.
  func disconnect() {
    guard state.phase != .closed else { return }
    loseUnsent()
    concludeUnderWay(isDraining ? .cut : .peerGone)
    output.discard()
    state.advance(.disconnected)
  }

  private func loseUnsent() {
    if output.pending > 0 { backend.lose(unsent.filter { $0.end > output.sent }) }
  }

  /// Ends the connection by RST at once, whatever is under way: its sandbox is out of reach.
  func reset() {
    loseUnsent()
    concludeUnderWay(.reset)
    output.discard()
    isReset = true
  }

  /// Takes note that `timeout` has passed.
  func expire() {
    if output.pending > 0 { return disconnect() }
    switch state.phase {
    case .idle where parser.isIdle: state.advance(.gaveUp)
    case .idle, .receiving:
      parser.giveUp()
      refuse(.timeout)
    default: disconnect()
    }
  }

  /// Gives back what only a busy connection needs; the next request takes it anew.
  func rest() {
    guard isIdle else { return }
    parser.releaseBuffer()
    output.releaseStorage()
    unsent = []
  }

  /// Lets the connection end after the reply that is owed. A silence that the plan asks for ends here.
  func drain() {
    isDraining = true
    // Nothing is owed, and nothing was sent just now that a reset could overtake: nobody has to wait for the peer.
    if isIdle { return disconnect() }
    endSilenceIfVain()
  }
}

extension Connection {
  /// Answers what has come, until an exchange takes time, or there is no whole request, or enough waits to be sent.
  func advance() {
    isHeld = false
    received = 0
    while state.phase == .idle || state.phase == .receiving {
      isDeferred = backend.budget.isSpent || isOwnBudgetSpent
      isHeld = isDeferred || output.weight >= Self.highWater
      if isHeld { return }
      switch parser.next() {
      case .needsMore:
        if hasPeerFinished { finishParsing() }
        if isDraining, isIdle { state.advance(.gaveUp) }
        return awaitMore()
      case .expectsContinue:
        begin()
        if refuseBeforeContent() { continue }
        ResponseHead.appendInterim(100, to: &output.bytes)
        output.releaseAll()
        state.advance(.interimReplied)
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

  func begin() {
    if state.phase == .idle { state.advance(.requestBegan) }
  }

  private func finishParsing() {
    if let rejection = parser.finish() {
      refuse(.rejected(rejection))
    } else {
      state.advance(.peerFinished)
    }
  }

  /// Sets the time that the peer has for what it must do next.
  private func awaitMore() {
    let now = backend.tick
    switch parser.phase {
    case .idle, .ended:
      // An empty line between requests began none.
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

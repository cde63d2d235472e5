import Contract
import HTTP1

/// One client's connection as a machine: bytes and moments go in, bytes and wishes come out. It has no socket.
package final class Connection {
  /// Who is at the other end, as its address.
  package let peer: String
  /// What the port that it came in by says.
  private let port: Labels
  private let backend: Backend
  private let timeouts: Timeouts
  private var parser = RequestParser()
  private var state = ConnectionState()
  package private(set) var output = OutputBuffer()
  /// When to call `expire()`, unless something happens before.
  package private(set) var timeout: Tick
  private var isDraining = false
  private var hasPeerFinished = false
  /// Whether requests may wait in the parser because too many replies wait to be sent.
  private var isHeld = false
  /// When the head that is coming began to come.
  private var headBegan: Tick?

  /// While more than this waits to be sent, no further request is looked at: a peer that never reads costs no more.
  private static let highWater = 256 << 10

  package init(peer: String, port: Labels, backend: Backend, timeouts: Timeouts) {
    self.peer = peer
    self.port = port
    self.backend = backend
    self.timeouts = timeouts
    timeout = backend.tick + timeouts.idle
  }

  /// What the loop is to do once everything in `output` has been sent.
  package enum Wish: Sendable, Equatable {
    case goOn
    /// Send FIN, then tell `didShutDown()`.
    case shutDown
    case close
  }

  package var wish: Wish {
    switch state.phase {
    case .closed: .close
    case .mustClose: .shutDown
    default: .goOn
    }
  }

  /// Whether more bytes from the peer would be of use now.
  package var wantsToRead: Bool {
    !hasPeerFinished && !isHeld && state.phase != .closed
  }

  /// Whether the connection is between requests, and can be closed without loss.
  package var isIdle: Bool { state.phase == .idle && parser.isIdle && output.pending == 0 }
}

extension Connection {
  /// Takes bytes that came from the peer.
  package func receive(_ bytes: ArraySlice<UInt8>) {
    guard state.phase != .lingering, state.phase != .mustClose else { return }
    parser.receive(bytes)
    advance()
  }

  /// Takes note that the peer will send no more.
  package func finish() {
    hasPeerFinished = true
    switch state.phase {
    // Whole requests may still wait behind replies that the peer has not taken; they come first.
    case .idle, .receiving: advance()
    case .closed: return
    default: state.advance(.peerFinished)
    }
  }

  private func finishParsing() {
    if let rejection = parser.finish() {
      reject(rejection)
    } else {
      state.advance(.peerFinished)
    }
  }

  /// Takes note that the socket took some of the output.
  package func didSend(_ count: Int) {
    output.advance(by: count)
    timeout = backend.tick + timeouts.writing
    if output.pending == 0 { advance() }
  }

  /// Takes note that FIN was sent.
  package func didShutDown() {
    state.advance(.shutDown)
    timeout = backend.tick + timeouts.linger
    if hasPeerFinished { state.advance(.peerFinished) }
  }

  /// Takes note that the connection is gone, or must go at once.
  package func disconnect() {
    output.discard()
    state.advance(.disconnected)
  }

  /// Takes note that `timeout` has passed.
  package func expire() {
    if output.pending > 0 { return disconnect() }
    switch state.phase {
    case .idle where parser.isIdle: state.advance(.gaveUp)
    case .idle, .receiving:
      begin()
      state.advance(.requestRefused)
      answered { backend.answerTimeout(to: &output.bytes) }
    default: disconnect()
    }
  }

  /// Lets the connection end after the reply that is owed.
  package func drain() {
    isDraining = true
    if isIdle { state.advance(.gaveUp) }
  }
}

extension Connection {
  /// Answers what has come, until there is no whole request any more or enough waits to be sent.
  private func advance() {
    isHeld = false
    while state.phase == .idle || state.phase == .receiving {
      isHeld = output.pending >= Self.highWater
      if isHeld { return }
      switch parser.next() {
      case .needsMore:
        if hasPeerFinished { finishParsing() }
        if isDraining { drain() }
        return awaitMore()
      case .expectsContinue:
        begin()
        ResponseHead.appendInterim(100, to: &output.bytes)
        state.advance(.interimReplied)
      case .request(let request):
        begin()
        state.advance(request.persists && !isDraining ? .requestCompleted : .lastRequestCompleted)
        answer(request)
      case .rejected(let rejection):
        reject(rejection)
      }
    }
  }

  private func begin() {
    if state.phase == .idle { state.advance(.requestBegan) }
  }

  private func answer(_ request: Request) {
    let exchange = backend.exchange(for: request, at: port)
    let option = state.option(for: request.version)
    answered { backend.answer(exchange, option, to: &output.bytes) }
    headBegan = nil
  }

  private func reject(_ rejection: Rejection) {
    begin()
    state.advance(.requestRefused)
    answered { backend.answer(rejection, to: &output.bytes) }
  }

  private func answered(_ write: () -> MessageWriter.Extent) {
    _ = write()
    state.advance(.replyBegan)
    state.advance(.replyEnded)
  }

  /// Sets the time that the peer has for what it must do next.
  private func awaitMore() {
    let now = backend.tick
    switch parser.phase {
    case .idle, .ended:
      timeout = now + timeouts.idle
      parser.releaseBuffer()
    case .head:
      let began = headBegan ?? now
      headBegan = began
      timeout = began + timeouts.head
    case .body: timeout = now + timeouts.body
    }
  }
}

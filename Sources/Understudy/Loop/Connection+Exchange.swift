import Contract
import Faults
import HTTP1

extension Connection {
  /// How far the exchange under way has come.
  enum Progress {
    case none
    /// Decided; the state is touched when the plan's first delay is over.
    case decided(Exchange)
    /// Carried out; the reply is written when the plan's second delay is over.
    case performed(Exchange)
    /// Written; it goes out as the plan has it.
    case transmitting(Exchange)
    /// Written as far as there was something to tell.
    case streaming(Streaming)

    /// Whether the plan has it that the peer hears nothing, for some time or until it gives up.
    var isSilent: Bool {
      switch self {
      case .decided(let exchange): exchange.plan.silenceBefore != nil
      case .transmitting(let exchange): exchange.outgoing?.isSilent == true
      default: false
      }
    }
  }

  var link: Backend.Link { Backend.Link(number: number, peer: peer, port: port) }

  /// Begins an exchange.
  func start(_ request: Request, refusal: Reply? = nil, isIncomplete: Bool = false) {
    backend.budget.countRequest()
    begun = (backend.budget.turn, begun.turn == backend.budget.turn ? begun.requests + 1 : 1)
    let exchange = backend.arrive(request, by: link, refusal: refusal, isIncomplete: isIncomplete)
    if exchange.id > 0 { sandbox = exchange.sandbox?.name }
    progress = .decided(exchange)
    sleep(for: exchange.plan.waitBefore, since: exchange.arrival)
    endSilenceIfVain()
    proceed()
  }

  /// True if it began as many requests as one connection may in this turn.
  var isOwnBudgetSpent: Bool {
    begun.turn == backend.budget.turn && begun.requests >= backend.budget.requestsOfConnection
  }

  /// Goes on when the loop begins another turn.
  func advanceDeferred() {
    isDeferred = false
    if case .none = progress { advance() }
  }

  /// Takes note that `wakeUp` has passed.
  func resume() {
    wakeUp = nil
    if case .transmitting(let exchange) = progress { exchange.outgoing?.isSilent = false }
    proceed()
    if case .none = progress { advance() }
    awaitPeer()
  }

  /// Takes note that what the exchange under way did or saw is on the disk now, or was taken back.
  func settle(isKept: Bool) {
    guard isHeldForDisk else { return }
    isHeldForDisk = false
    guard case .performed(let exchange) = progress else { return }
    // Who only read is answered anew, from the state as it is again.
    if !isKept, !backend.refuse(exchange) {
      exchange.forgetResults()
      progress = .decided(exchange)
    }
    proceed()
    if case .none = progress { advance() }
    awaitPeer()
  }

  /// Gives the peer a time to take what waits for it, if nothing else limits the connection's life: one that is gone
  /// without a word would keep it for ever.
  private func awaitPeer() {
    if timeout == .distantFuture, output.pending > 0 { timeout = backend.tick + timeouts.writing }
  }

  private func wait(for work: Work) {
    self.work = work
    timeout = .distantFuture
    awaitPeer()
  }

  /// Returns the work that is to be begun; each is returned once.
  func takeWork() -> Work? {
    guard let work else { return nil }
    self.work = nil
    exchangeAtWork = work.exchange
    return work
  }

  /// Takes the result of work that was begun; the result of an exchange that has ended meanwhile is dropped.
  func finish(_ work: Work, _ result: any Sendable) {
    guard exchangeAtWork == work.exchange, case .decided(let exchange) = progress else { return }
    exchangeAtWork = nil
    exchange.finish(work, result)
    proceed()
    if case .none = progress { advance() }
    awaitPeer()
  }

  private func sleep(for duration: Duration, since start: Tick) {
    guard duration > .zero else { return }
    wakeUp = start + duration
    timeout = .distantFuture
    awaitPeer()
  }

  /// Takes the exchange as far as it can go without waiting.
  private func proceed() {
    while wakeUp == nil {
      switch progress {
      case .none, .streaming: return
      case .decided(let exchange):
        let hold = backend.perform(exchange)
        if case .work(let work) = hold { return wait(for: work) }
        isHeldForDisk = hold != .none
        progress = .performed(exchange)
        sleep(for: exchange.plan.waitAfter, since: backend.tick)
      case .performed(let exchange):
        if isHeldForDisk { return }
        write(exchange)
      case .transmitting(let exchange):
        guard exchange.outgoing?.isSilent == false else { return }
        transmit(exchange)
      }
    }
  }

  private func write(_ exchange: Exchange) {
    guard let reply = exchange.answer?.reply else { preconditionFailure("what is written was carried out before") }
    let follower = exchange.isHead ? nil : reply.follower
    // Without chunks, which HTTP/1.0 does not know, only the end of the connection can end a stream.
    let isLast = follower != nil && exchange.request.version == .http10
    let option = state.option(for: exchange.request.version, closing: isLast)
    let transmission = backend.write(reply, of: exchange, option, to: &output.bytes)
    if transmission.extent.end > output.bytes.count, let body = reply.representation {
      output.append(longBody: body.bytes)
    }
    state.advance(isLast ? .lastReplyBegan : .replyBegan)
    if let follower {
      output.releaseAll()
      timeout = .distantFuture
      progress = .streaming(Streaming(follower: follower, isChunked: option == .unneeded, lastSign: backend.tick))
      return
    }
    exchange.outgoing = Outgoing(transmission, at: backend.tick)
    progress = .transmitting(exchange)
  }

  private func transmit(_ exchange: Exchange) {
    switch exchange.outgoing?.transmission.next() {
    case nil: preconditionFailure("what is transmitted was written before")
    case .release(let place):
      output.release(upTo: place)
      exchange.outgoing?.released = place
    case .wait(let duration):
      sleep(for: duration, since: exchange.outgoing?.paced ?? backend.tick)
    case .hold(let duration):
      timeout = .distantFuture
      awaitPeer()
      exchange.outgoing?.hold(for: duration)
      if let duration { sleep(for: duration, since: backend.tick) }
      endSilenceIfVain()
    case .end: end(exchange)
    case .finish: abandon(.closed)
    case .reset:
      abandon(.reset)
      isReset = true
    }
  }

  private func end(_ exchange: Exchange) {
    progress = .none
    state.advance(.replyEnded)
    let transmission = exchange.outgoing?.transmission
    if let sandbox = exchange.sandbox, let transmission, exchange.id > 0 {
      unsent.append(Backend.Unsent(sandbox: sandbox, id: exchange.id, end: transmission.extent.end))
    }
    let outcome: JournalEntry.Outcome = transmission?.isDeliverable == true ? .sent : .notDeliverable
    conclude(exchange, hasPeerFinished && exchange.plan.delay > .zero ? .peerGone : outcome)
  }

  /// Ends a silence that nobody listens to any more, or that would keep the server from stopping.
  func endSilenceIfVain() {
    guard progress.isSilent, hasPeerFinished || isDraining else { return }
    abandon(hasPeerFinished ? .peerGone : .cut)
  }

  /// Ends the exchange under way without its whole reply, and the connection after it.
  func abandon(_ outcome: JournalEntry.Outcome) {
    concludeUnderWay(outcome)
    output.discardUnreleased()
    state.advance(.replyAborted)
  }

  /// Notes how the exchange under way, if there is one, came out.
  func concludeUnderWay(_ outcome: JournalEntry.Outcome) {
    let current = progress
    progress = .none
    isHeldForDisk = false
    wakeUp = nil
    work = nil
    exchangeAtWork = nil
    switch current {
    case .none, .streaming: return
    case .decided(let exchange), .performed(let exchange), .transmitting(let exchange): conclude(exchange, outcome)
    }
  }

  private func conclude(_ exchange: Exchange, _ outcome: JournalEntry.Outcome) {
    let delivery = Backend.Delivery(outcome: outcome, isOnUsedConnection: state.requests > 1)
    backend.conclude(exchange, delivery, output: output.bytes)
  }
}

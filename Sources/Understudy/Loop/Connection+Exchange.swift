import Contract
import Faults
import HTTP1

extension Connection {
  var link: Backend.Link { Backend.Link(number: number, peer: peer, port: port) }

  /// Begins an exchange.
  func start(_ request: Request, refusal: Reply? = nil, isIncomplete: Bool = false) {
    backend.budget.countRequest()
    begun = (backend.budget.turn, begun.turn == backend.budget.turn ? begun.requests + 1 : 1)
    let exchange = backend.arrive(request, by: link, refusal: refusal, isIncomplete: isIncomplete)
    // A connection that asks the control API last is its driver's, and survives the outage that it asks for.
    sandbox = exchange.id > 0 ? exchange.sandbox?.name : nil
    sleep(for: exchange.plan.waitBefore, since: exchange.arrival)
    guard wakeUp == nil else {
      progress = .planned(exchange)
      return endSilenceIfVain()
    }
    perform(exchange)
  }

  /// True if it began as many requests as one connection may in this turn.
  var isOwnBudgetSpent: Bool {
    begun.turn == backend.budget.turn && begun.requests >= backend.budget.requestsOfConnection
  }

  /// Goes on when the loop begins another turn.
  func advanceDeferred() {
    isDeferred = false
    if progress.isNone { advance() }
  }

  /// Takes note that `wakeUp` has passed.
  func resume() {
    wakeUp = nil
    switch progress.take() {
    case .sending(var sending):
      sending.outgoing.isSilent = false
      progress = .sending(sending)
    case let other: progress = other
    }
    proceed()
    if progress.isNone { advance() }
    awaitPeer()
  }

  /// Takes note that what the exchange under way did or saw is on the disk now, or was taken back.
  func settle(isKept: Bool) {
    guard isHeldForDisk else { return }
    isHeldForDisk = false
    switch progress.take() {
    case .performed(var performed):
      if isKept {
        progress = .performed(performed)
      } else if performed.answer.hold == .writes {
        performed.answer = backend.refusal(of: performed.exchange)
        progress = .performed(performed)
      } else {
        // An exchange that only read is performed anew, from the state as it is again.
        performed.exchange.offLoop?.discard()
        progress = .planned(performed.exchange)
      }
    case let other: return progress = other
    }
    proceed()
    if progress.isNone { advance() }
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
    guard exchangeAtWork == work.exchange else { return }
    switch progress {
    case .planned(let exchange): exchange.offLoop?.finish(work, result)
    default: return
    }
    exchangeAtWork = nil
    proceed()
    if progress.isNone { advance() }
    awaitPeer()
  }

  private func sleep(for duration: Duration, since start: Tick) {
    guard duration > .zero else { return }
    wakeUp = start + duration
    timeout = .distantFuture
    awaitPeer()
  }

  /// Goes on with the exchange under way, unless it waits. It is stored again only where it has to wait once more.
  private func proceed() {
    guard wakeUp == nil else { return }
    switch progress.take() {
    case .none: return
    case .streaming(let streaming): progress = .streaming(streaming)
    case .planned(let exchange): perform(exchange)
    case .performed(let performed): deliver(performed)
    case .sending(let sending): send(sending)
    }
  }

  private func perform(_ exchange: consuming Exchange) {
    switch backend.perform(&exchange) {
    case .needs(let work):
      progress = .planned(exchange)
      wait(for: work)
    case .answered(let answer):
      isHeldForDisk = answer.hold != .none
      sleep(for: exchange.plan.waitAfter, since: backend.tick)
      deliver(Progress.Performed(exchange: exchange, answer: answer))
    }
  }

  /// Writes the response, unless it has to wait for the disk, for its time, or for the network switch.
  private func deliver(_ performed: consuming Progress.Performed) {
    guard !isHeldForDisk, wakeUp == nil else { return progress = .performed(performed) }
    guard performed.exchange.isResponseHeld else { return write(performed) }
    backend.recordHeldResponse(of: performed.exchange)
    timeout = .distantFuture
    awaitPeer()
    progress = .performed(performed)
    endSilenceIfVain()
  }

  /// Goes on with an exchange whose response the network switch kept back.
  func release() {
    proceed()
    if progress.isNone { advance() }
    awaitPeer()
  }

  private func write(_ performed: consuming Progress.Performed) {
    let reply = performed.answer.reply
    let follower = performed.exchange.isHead ? nil : reply.follower
    // Without chunks, which HTTP/1.0 does not know, only the end of the connection can end a stream.
    let isLast = follower != nil && performed.exchange.request.version == .http10
    let option = state.option(for: performed.exchange.request.version, closing: isLast)
    let transmission = backend.write(reply, of: performed.exchange, option, to: &output.bytes)
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
    send(Progress.Sending(performed: performed, outgoing: Outgoing(transmission, at: backend.tick)))
  }

  private func send(_ sending: consuming Progress.Sending) {
    while wakeUp == nil, !sending.outgoing.isSilent {
      let step = sending.outgoing.transmission.next()
      switch step {
      case .release(let place):
        output.release(upTo: place)
        sending.outgoing.released = place
      case .wait(let duration): sleep(for: duration, since: sending.outgoing.began)
      case .end: return end(sending)
      case .hold(let duration):
        sending.outgoing.isSilent = true
        progress = .sending(sending)
        return stall(for: duration)
      case .finish:
        progress = .sending(sending)
        return abandon(.closed)
      case .reset:
        progress = .sending(sending)
        abandon(.reset)
        return isReset = true
      }
    }
    progress = .sending(sending)
  }

  /// Sends nothing for some time, or until the peer gives up.
  private func stall(for duration: Duration?) {
    timeout = .distantFuture
    awaitPeer()
    if let duration { sleep(for: duration, since: backend.tick) }
    endSilenceIfVain()
  }

  private func end(_ sending: borrowing Progress.Sending) {
    state.advance(.replyEnded)
    let transmission = sending.outgoing.transmission
    if let sandbox = sending.performed.exchange.sandbox, sending.performed.exchange.id > 0 {
      let id = sending.performed.exchange.id
      unsent.append(Backend.Unsent(sandbox: sandbox, id: id, end: transmission.extent.end))
    }
    let outcome: JournalEntry.Outcome = transmission.isDeliverable ? .sent : .notDeliverable
    let isGone = hasPeerFinished && sending.performed.exchange.plan.delay > .zero
    conclude(sending, isGone ? .peerGone : outcome)
  }

  private func conclude(_ sending: borrowing Progress.Sending, _ outcome: JournalEntry.Outcome) {
    conclude(sending.performed.exchange, sending.performed.answer, sending.outgoing, outcome)
  }

  /// Ends a silence that nobody listens to any more, or that would keep the server from stopping.
  func endSilenceIfVain() {
    let isDue = !progress.isPerformed || !isHeldForDisk && wakeUp == nil
    guard progress.isSilent, isDue, hasPeerFinished || isDraining else { return }
    abandon(hasPeerFinished ? .peerGone : .cut)
  }

  /// Ends the exchange under way without its whole reply, and the connection after it.
  func abandon(_ outcome: JournalEntry.Outcome) {
    concludeUnderWay(outcome)
    output.discardUnreleased()
    state.advance(.replyAborted)
  }

  /// Records how the exchange under way, if there is one, came out.
  func concludeUnderWay(_ outcome: JournalEntry.Outcome) {
    isHeldForDisk = false
    wakeUp = nil
    work = nil
    exchangeAtWork = nil
    switch progress.take() {
    case .none: return
    case .streaming: return
    case .planned(let exchange): conclude(exchange, nil, nil, outcome)
    case .performed(let performed): conclude(performed.exchange, performed.answer, nil, outcome)
    case .sending(let sending): conclude(sending, outcome)
    }
  }

  private func conclude(
    _ exchange: borrowing Exchange, _ answer: Backend.Answer?, _ outgoing: Outgoing?, _ outcome: JournalEntry.Outcome
  ) {
    let delivery = Backend.Delivery(outcome: outcome, isOnUsedConnection: state.requests > 1)
    backend.conclude(exchange, answer, outgoing, delivery, output: output.bytes)
  }
}

import Contract
import Faults
import HTTP1

extension Connection {
  var link: Backend.Link { Backend.Link(number: number, peer: peer, port: port) }

  /// Begins an exchange.
  func start(_ request: Request, refusal: Response? = nil, isIncomplete: Bool = false) {
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

  /// True if the connection began as many requests as it may in this turn.
  var isOwnBudgetSpent: Bool {
    begun.turn == backend.budget.turn && begun.requests >= backend.budget.requestsOfConnection
  }

  /// Continues when the loop begins another turn.
  func advanceDeferred() {
    isDeferred = false
    if progress.isNone { advance() }
  }

  /// Records that `wakeUp` has passed.
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

  /// Records that the changes that the current exchange made or read are on the disk, or were rolled back.
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
        // An exchange that only read is performed again, on the state after the rollback.
        performed.exchange.offLoop?.discard()
        progress = .planned(performed.exchange)
      }
    case let other: return progress = other
    }
    proceed()
    if progress.isNone { advance() }
    awaitPeer()
  }

  /// Sets a timeout for the peer to accept pending output, if nothing else limits the connection's life: otherwise a
  /// peer that disappeared would keep it forever.
  private func awaitPeer() {
    if timeout == .distantFuture, output.pending > 0 { timeout = backend.tick + timeouts.writing }
  }

  private func wait(for work: Work) {
    self.work = work
    timeout = .distantFuture
    awaitPeer()
  }

  /// Returns the work to begin; each piece of work is returned once.
  func takeWork() -> Work? {
    guard let work else { return nil }
    self.work = nil
    exchangeAtWork = work.exchange
    return work
  }

  /// Receives the result of work. The result is dropped if its exchange has ended.
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

  private func sleep(for duration: Duration, since start: MonotonicInstant) {
    guard duration > .zero else { return }
    wakeUp = start + duration
    timeout = .distantFuture
    awaitPeer()
  }

  /// Continues the current exchange, unless it waits. It is stored again only if it has to wait once more.
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
    let response = performed.answer.response
    let follower = performed.exchange.isHead ? nil : response.follower
    // HTTP/1.0 has no chunks, so only the end of the connection can end a stream.
    let isLast = follower != nil && performed.exchange.request.version == .http10
    let option = state.option(for: performed.exchange.request.version, closing: isLast)
    let delivery = backend.write(response, of: performed.exchange, option, to: &output.bytes)
    if delivery.layout.end > output.bytes.count, let body = response.representation {
      output.append(longBody: body.bytes)
    }
    state.advance(isLast ? .lastReplyBegan : .replyBegan)
    if let follower {
      output.releaseAll()
      timeout = .distantFuture
      progress = .streaming(Streaming(follower: follower, isChunked: option == .unneeded, lastSign: backend.tick))
      return
    }
    send(Progress.Sending(performed: performed, outgoing: OutgoingResponse(delivery, at: backend.tick)))
  }

  private func send(_ sending: consuming Progress.Sending) {
    while wakeUp == nil, !sending.outgoing.isSilent {
      let step = sending.outgoing.delivery.next()
      switch step {
      case .release(let index):
        output.release(upTo: index)
        sending.outgoing.released = index
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

  /// Sends nothing for some time, or until the peer closes the connection.
  private func stall(for duration: Duration?) {
    timeout = .distantFuture
    awaitPeer()
    if let duration { sleep(for: duration, since: backend.tick) }
    endSilenceIfVain()
  }

  private func end(_ sending: borrowing Progress.Sending) {
    state.advance(.replyEnded)
    let delivery = sending.outgoing.delivery
    if let sandbox = sending.performed.exchange.sandbox, sending.performed.exchange.id > 0 {
      let id = sending.performed.exchange.id
      unsent.append(Backend.Unsent(sandbox: sandbox, id: id, end: delivery.layout.end))
    }
    let outcome: JournalEntry.Outcome = delivery.isDeliverable ? .sent : .notDeliverable
    let isGone = hasPeerFinished && sending.performed.exchange.plan.delay > .zero
    conclude(sending, isGone ? .peerGone : outcome)
  }

  private func conclude(_ sending: borrowing Progress.Sending, _ outcome: JournalEntry.Outcome) {
    conclude(sending.performed.exchange, sending.performed.answer, sending.outgoing, outcome)
  }

  /// Ends a silence if the peer has left, or if it would keep the server from stopping.
  func endSilenceIfVain() {
    let isDue = !progress.isPerformed || !isHeldForDisk && wakeUp == nil
    guard progress.isSilent, isDue, hasPeerFinished || isDraining else { return }
    abandon(hasPeerFinished ? .peerGone : .cut)
  }

  /// Ends the current exchange without its complete response, and then the connection.
  func abandon(_ outcome: JournalEntry.Outcome) {
    concludeUnderWay(outcome)
    output.discardUnreleased()
    state.advance(.replyAborted)
  }

  /// Records the outcome of the current exchange, if there is one.
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
    _ exchange: borrowing Exchange, _ answer: Backend.Answer?, _ outgoing: OutgoingResponse?,
    _ outcome: JournalEntry.Outcome
  ) {
    let delivery = Backend.Delivery(outcome: outcome, isOnUsedConnection: state.requests > 1)
    backend.conclude(exchange, answer, outgoing, delivery, output: output.bytes)
  }
}

import Contract
import Faults
import HTTP1
import Primitives
import Report
import Services

extension Connection {
  var link: Backend.Link { Backend.Link(number: number, peer: peer, port: port) }

  /// Begins an exchange.
  mutating func start(_ request: consuming Request, refusal: Response? = nil, isIncomplete: Bool = false) {
    backend.countBegunRequest()
    begun = (backend.budget.turn, begun.turn == backend.budget.turn ? begun.requests + 1 : 1)
    let exchange = backend.arrive(request, by: link, refusal: refusal, isIncomplete: isIncomplete)
    // A connection whose last request was to the control API belongs to the driver of the test, so the outage that it
    // requested does not reset it.
    sandbox = exchange.id > 0 ? exchange.sandbox?.name : nil
    sleep(for: exchange.plan.delivery.waitBefore, since: exchange.arrival)
    guard wakeUp == nil else {
      hold(.planned(exchange))
      return endNeedlessSilence()
    }
    perform(exchange)
  }

  /// True if the connection has begun as many requests in this turn as it may.
  var isOwnBudgetSpent: Bool {
    begun.turn == backend.budget.turn && begun.requests >= backend.budget.requestsOfConnection
  }

  /// Continues when the loop begins another turn.
  mutating func advanceDeferred() {
    isDeferred = false
    if phase == .none { advance() }
  }

  /// Records that `wakeUp` has passed.
  mutating func resume() {
    wakeUp = nil
    switch takeProgress() {
    case .sending(var sending):
      sending.outgoing.isSilent = false
      hold(.sending(sending))
    case let other: hold(other)
    }
    proceed()
    if phase == .none { advance() }
    awaitPeer()
  }

  /// Records that the changes that the current exchange made or read are on the disk, or were rolled back.
  mutating func resolve(isDurable: Bool) {
    guard awaitsCommit else { return }
    awaitsCommit = false
    switch takeProgress() {
    case .performed(var performed):
      if isDurable {
        hold(.performed(performed))
      } else if performed.answer.hold == .writes {
        performed.answer = backend.refusal(of: performed.exchange)
        hold(.performed(performed))
      } else {
        // An exchange that only read is performed again, on the state after the rollback.
        performed.exchange.offLoop?.discard()
        hold(.planned(performed.exchange))
      }
    case let other: return hold(other)
    }
    proceed()
    if phase == .none { advance() }
    awaitPeer()
  }

  /// Sets a timeout for the peer to accept pending output, if nothing else limits the connection's life: otherwise a
  /// peer that disappeared would keep it forever.
  private mutating func awaitPeer() {
    if timeout == .distantFuture, output.pending > 0 { timeout = backend.tick + timeouts.writing }
  }

  private mutating func wait(for work: Work) {
    self.work = work
    timeout = .distantFuture
    awaitPeer()
  }

  /// Returns the work to begin; each piece of work is returned once.
  mutating func takeWork() -> Work? {
    guard let work else { return nil }
    self.work = nil
    exchangeAtWork = work.exchange
    return work
  }

  /// Drops the work that `takeWork()` returned, until `performPostponed()`.
  mutating func postponeWork() {
    exchangeAtWork = nil
    switch progress {
    case .planned(let exchange): exchange.offLoop?.withdraw()
    default: return
    }
  }

  /// Performs the exchange whose work was postponed, and returns the work to begin, if there is still some.
  mutating func performPostponed() -> Work? {
    guard phase == .planned, exchangeAtWork == nil else { return nil }
    proceed()
    if phase == .none { advance() }
    awaitPeer()
    return takeWork()
  }

  /// Receives the result of work. The result is dropped if its exchange has ended.
  mutating func finish(_ work: Work, _ result: any Sendable) {
    guard exchangeAtWork == work.exchange else { return }
    switch progress {
    case .planned(let exchange): exchange.offLoop?.finish(work, result)
    default: return
    }
    exchangeAtWork = nil
    proceed()
    if phase == .none { advance() }
    awaitPeer()
  }

  /// - Parameter start: The beginning of the sleep; nil for now.
  private mutating func sleep(for duration: Duration, since start: MonotonicInstant? = nil) {
    guard duration > .zero else { return }
    wakeUp = (start ?? backend.tick) + duration
    timeout = .distantFuture
    awaitPeer()
  }

  /// Continues the current exchange, unless it waits. It is stored again only if it has to wait once more.
  private mutating func proceed() {
    guard wakeUp == nil else { return }
    switch takeProgress() {
    case .none: return
    case .streaming(let streaming): hold(.streaming(streaming))
    case .planned(let exchange): perform(exchange)
    case .performed(let performed): deliver(performed)
    case .sending(let sending): send(sending)
    }
  }

  private mutating func perform(_ exchange: consuming Exchange) {
    switch backend.perform(&exchange) {
    case .needs(let work):
      hold(.planned(exchange))
      wait(for: work)
    case .answered(let answer):
      awaitsCommit = answer.hold != .none
      sleep(for: exchange.plan.delivery.waitAfter)
      deliver(Progress.Performed(exchange: exchange, answer: answer))
    }
  }

  /// Writes the response, unless it has to wait for the disk, for its time, or for the network switch.
  private mutating func deliver(_ performed: consuming Progress.Performed) {
    guard !awaitsCommit, wakeUp == nil else { return hold(.performed(performed)) }
    guard performed.exchange.isResponseHeld else { return write(performed) }
    backend.recordHeldResponse(of: performed.exchange)
    timeout = .distantFuture
    awaitPeer()
    hold(.performed(performed))
    endNeedlessSilence()
  }

  /// Continues an exchange whose response the network switch held.
  mutating func release() {
    // An exchange whose work is under way, or postponed, is performed when that is done.
    guard phase != .planned else { return }
    proceed()
    if phase == .none { advance() }
    awaitPeer()
  }

  private mutating func write(_ performed: consuming Progress.Performed) {
    var response = performed.answer.response
    let follower = response.stream == nil || performed.exchange.isHead ? nil : response.follower
    // HTTP/1.0 has no chunks, so only the end of the connection can end a stream.
    let isLast = follower != nil && performed.exchange.request.version == .http10
    if follower != nil { response.representation = nil }
    let option = state.option(for: performed.exchange.request.version, closing: isLast)
    let delivery = backend.write(response, of: performed.exchange, option, to: &output.bytes)
    if delivery.layout.end > output.bytes.count, let body = response.representation {
      output.append(longBody: body.bytes)
    }
    state.advance(isLast ? .lastResponseBegan : .responseBegan)
    if let follower {
      output.releaseAll()
      timeout = .distantFuture
      concludeHead(of: performed, delivery)
      hold(.streaming(Streaming(follower: follower, isChunked: option == .unneeded, lastOutput: backend.tick)))
      return
    }
    send(Progress.Sending(performed: performed, outgoing: OutgoingResponse(delivery, at: backend.tick)))
  }

  /// Records an exchange whose response continues as a stream.
  private mutating func concludeHead(of performed: borrowing Progress.Performed, _ delivery: ResponseDelivery) {
    guard performed.exchange.id > 0 else { return }
    var outgoing = OutgoingResponse(delivery, at: backend.tick)
    outgoing.released = delivery.layout.end
    conclude(performed.exchange, performed.answer, outgoing, .sent)
  }

  private mutating func send(_ sending: consuming Progress.Sending) {
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
        hold(.sending(sending))
        return stall(for: duration)
      case .finish:
        hold(.sending(sending))
        return abandon(.closed)
      case .reset:
        hold(.sending(sending))
        abandon(.reset)
        return isReset = true
      }
    }
    hold(.sending(sending))
  }

  /// Sends nothing for some time, or until the peer closes the connection.
  private mutating func stall(for duration: Duration?) {
    timeout = .distantFuture
    awaitPeer()
    if let duration { sleep(for: duration) }
    endNeedlessSilence()
  }

  private mutating func end(_ sending: borrowing Progress.Sending) {
    state.advance(.responseEnded)
    let delivery = sending.outgoing.delivery
    if let sandbox = sending.performed.exchange.sandbox, sending.performed.exchange.id > 0 {
      let id = sending.performed.exchange.id
      unsent.append(Backend.Unsent(sandbox: sandbox, id: id, end: delivery.layout.end))
    }
    let outcome: JournalEntry.Outcome = delivery.isDeliverable ? .sent : .notDeliverable
    let isGone = hasPeerFinished && sending.performed.exchange.plan.summary.delay > .zero
    conclude(sending, isGone ? .peerGone : outcome)
  }

  private mutating func conclude(_ sending: borrowing Progress.Sending, _ outcome: JournalEntry.Outcome) {
    conclude(sending.performed.exchange, sending.performed.answer, sending.outgoing, outcome)
  }

  /// Ends a silence if the peer has left, or if it would keep the server from stopping.
  mutating func endNeedlessSilence() {
    let isDue = phase != .performed || !awaitsCommit && wakeUp == nil
    guard progress.isSilent, isDue, hasPeerFinished || isDraining else { return }
    abandon(hasPeerFinished ? .peerGone : .cut)
  }

  /// Ends the current exchange without its complete response, and then the connection.
  mutating func abandon(_ outcome: JournalEntry.Outcome) {
    concludeCurrent(outcome)
    output.discardUnreleased()
    state.advance(.responseAborted)
  }

  /// Records the outcome of the current exchange, if there is one.
  mutating func concludeCurrent(_ outcome: JournalEntry.Outcome) {
    awaitsCommit = false
    wakeUp = nil
    work = nil
    exchangeAtWork = nil
    switch takeProgress() {
    case .none: return
    case .streaming(let streaming):
      backend.recordEnd(of: streaming.follower, outcome, isSilent: streaming.silence != nil)
    case .planned(let exchange): conclude(exchange, nil, nil, outcome)
    case .performed(let performed): conclude(performed.exchange, performed.answer, nil, outcome)
    case .sending(let sending): conclude(sending, outcome)
    }
  }

  private mutating func conclude(
    _ exchange: borrowing Exchange, _ answer: Backend.Answer?, _ outgoing: OutgoingResponse?,
    _ outcome: JournalEntry.Outcome
  ) {
    let delivery = Backend.Delivery(outcome: outcome, isOnUsedConnection: state.requests > 1)
    backend.conclude(exchange, answer, outgoing, delivery, output: output.bytes)
  }
}

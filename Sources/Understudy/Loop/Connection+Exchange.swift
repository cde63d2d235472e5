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
    case .performed(let performed): deliver(performed.exchange, performed.answer)
    case .sending(let sending):
      let performed = sending.performed
      send(performed.exchange, performed.answer, sending.outgoing)
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
      deliver(exchange, answer)
    }
  }

  /// Writes the response, unless it has to wait for the disk, for its time, or for the network switch.
  private mutating func deliver(_ exchange: consuming Exchange, _ answer: Backend.Answer) {
    guard !awaitsCommit, wakeUp == nil else {
      return hold(.performed(Progress.Performed(exchange: exchange, answer: answer)))
    }
    guard exchange.isResponseHeld else {
      if answer.response.stream != nil, !exchange.isHead, let follower = answer.response.follower {
        return stream(exchange, answer, follower)
      }
      let delivery = write(answer.response, of: exchange)
      return send(exchange, answer, OutgoingResponse(delivery, at: backend.tick))
    }
    backend.recordHeldResponse(of: exchange)
    timeout = .distantFuture
    awaitPeer()
    hold(.performed(Progress.Performed(exchange: exchange, answer: answer)))
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

  /// Appends the message to the output.
  ///
  /// - Parameter isLast: True if only the end of the connection can end the response.
  mutating func write(
    _ response: Response, of exchange: borrowing Exchange, isLast: Bool = false
  ) -> ResponseDelivery {
    let option = state.option(for: exchange.request.version, closing: isLast)
    let delivery = backend.write(response, of: exchange, option, to: &output.bytes)
    if delivery.layout.end > output.bytes.count, let body = response.representation {
      output.append(longBody: body.bytes)
    }
    state.advance(isLast ? .lastResponseBegan : .responseBegan)
    return delivery
  }

  /// Sends the response as the plan says. The exchange is stored only if its response has to wait.
  private mutating func send(
    _ exchange: consuming Exchange, _ answer: Backend.Answer, _ response: consuming OutgoingResponse
  ) {
    let pause = release(&response)
    if pause == .end { return end(exchange, answer, response) }
    let performed = Progress.Performed(exchange: exchange, answer: answer)
    hold(.sending(Progress.Sending(performed: performed, outgoing: response)))
    switch pause {
    case .hold(let duration): stall(for: duration)
    case .finish: abandon(.closed)
    case .reset:
      abandon(.reset)
      isReset = true
    default: break
    }
  }

  /// Releases the response up to the next step that needs the exchange; returns nil if it waits.
  private mutating func release(_ response: inout OutgoingResponse) -> ResponseDelivery.Step? {
    while wakeUp == nil, !response.isSilent {
      switch response.delivery.next() {
      case .release(let index):
        output.release(upTo: index)
        response.released = index
      case .wait(let duration): sleep(for: duration, since: response.began)
      case .hold(let duration):
        response.isSilent = true
        return .hold(duration)
      case let step: return step
      }
    }
    return nil
  }

  /// Sends nothing for some time, or until the peer closes the connection.
  private mutating func stall(for duration: Duration?) {
    timeout = .distantFuture
    awaitPeer()
    if let duration { sleep(for: duration) }
    endNeedlessSilence()
  }

  private mutating func end(
    _ exchange: borrowing Exchange, _ answer: Backend.Answer, _ response: OutgoingResponse
  ) {
    state.advance(.responseEnded)
    let delivery = response.delivery
    if let sandbox = exchange.sandbox, exchange.id > 0 {
      unsent.append(Backend.Unsent(sandbox: sandbox, id: exchange.id, end: delivery.layout.end))
    }
    let outcome: ExchangeOutcome = delivery.isDeliverable ? .sent : .notDeliverable
    let isGone = hasPeerFinished && exchange.plan.summary.delay > .zero
    conclude(exchange, answer, response, isGone ? .peerGone : outcome)
  }

  /// Ends a silence if the peer has left, or if it would keep the server from stopping.
  mutating func endNeedlessSilence() {
    let isDue = phase != .performed || !awaitsCommit && wakeUp == nil
    guard progress.isSilent, isDue, hasPeerFinished || isDraining else { return }
    abandon(hasPeerFinished ? .peerGone : .cut)
  }

  /// Ends the current exchange without its complete response, and then the connection.
  mutating func abandon(_ outcome: ExchangeOutcome) {
    concludeCurrent(outcome)
    output.discardUnreleased()
    state.advance(.responseAborted)
  }

  /// Records the outcome of the current exchange, if there is one.
  mutating func concludeCurrent(_ outcome: ExchangeOutcome) {
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
    case .sending(let sending):
      conclude(sending.performed.exchange, sending.performed.answer, sending.outgoing, outcome)
    }
  }

  mutating func conclude(
    _ exchange: borrowing Exchange, _ answer: Backend.Answer?, _ outgoing: OutgoingResponse?,
    _ outcome: ExchangeOutcome
  ) {
    let delivery = Backend.Delivery(outcome: outcome, isOnUsedConnection: state.requests > 1)
    backend.conclude(exchange, answer, outgoing, delivery, output: output.bytes)
  }
}

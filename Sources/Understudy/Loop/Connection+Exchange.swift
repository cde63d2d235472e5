import Contract
import Faults
import HTTP1
import Primitives
import Report
import Services

extension Connection {
  var link: Backend.Link { Backend.Link(number: number, peer: peer, port: port) }

  /// Begins an exchange.
  mutating func start(
    _ request: consuming Request, refusal: Response? = nil, isIncomplete: Bool = false, at now: ClockReading
  ) {
    countBegunRequest()
    let exchange = backend.arrive(request, by: link, refusal: refusal, isIncomplete: isIncomplete, at: now)
    // A connection whose last request was to the control API belongs to the driver of the test, so the outage that it
    // requested does not reset it.
    sandbox = exchange.id > 0 ? exchange.sandbox?.name : nil
    sleep(for: exchange.plan.delivery.waitBefore, at: now)
    guard wakeUp == nil else {
      hold(.planned(exchange))
      return endNeedlessSilence(at: now)
    }
    perform(exchange, at: now)
  }

  /// Records that `wakeUp` has passed.
  mutating func resume(at now: ClockReading) {
    wakeUp = nil
    if phase == .sending { endSilence() }
    proceed(at: now)
    if phase == .none { advance(at: now) }
    http.awaitPeer(at: now.tick)
  }

  private mutating func endSilence() {
    switch takeProgress() {
    case .sending(var sending):
      sending.outgoing.isSilent = false
      hold(.sending(sending))
    case let other: hold(other)
    }
  }

  /// Records that the changes that the current exchange made or read are on the disk, or were rolled back.
  mutating func resolve(isDurable: Bool, at now: ClockReading) {
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
    proceed(at: now)
    if phase == .none { advance(at: now) }
    http.awaitPeer(at: now.tick)
  }

  private mutating func wait(for work: Work, at now: ClockReading) {
    self.work = work
    awaitNothingElse(at: now)
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
  mutating func performPostponed(at now: ClockReading) -> Work? {
    guard phase == .planned, exchangeAtWork == nil else { return nil }
    proceed(at: now)
    if phase == .none { advance(at: now) }
    http.awaitPeer(at: now.tick)
    return takeWork()
  }

  /// Receives the result of work. The result is dropped if its exchange has ended.
  mutating func finish(_ work: Work, _ result: any Sendable, at now: ClockReading) {
    guard exchangeAtWork == work.exchange else { return }
    switch progress {
    case .planned(let exchange): exchange.offLoop?.finish(work, result)
    default: return
    }
    exchangeAtWork = nil
    proceed(at: now)
    if phase == .none { advance(at: now) }
    http.awaitPeer(at: now.tick)
  }

  private mutating func sleep(for duration: NanosecondDuration, at now: ClockReading) {
    sleep(for: duration, since: now.tick, at: now)
  }

  private mutating func sleep(for duration: NanosecondDuration, since start: MonotonicInstant, at now: ClockReading) {
    guard duration > .zero else { return }
    wakeUp = start + duration
    awaitNothingElse(at: now)
  }

  /// Lets no timeout limit the wait of the current exchange, except for pending output.
  private mutating func awaitNothingElse(at now: ClockReading) {
    http.timeout = .distantFuture
    http.awaitPeer(at: now.tick)
  }

  /// Continues the current exchange, unless it waits. It is stored again only if it has to wait once more.
  private mutating func proceed(at now: ClockReading) {
    guard wakeUp == nil else { return }
    switch takeProgress() {
    case .none: return
    case .streaming(let streaming): hold(.streaming(streaming))
    case .planned(let exchange): perform(exchange, at: now)
    case .performed(let performed): deliver(performed.exchange, performed.answer, at: now)
    case .sending(let sending):
      let performed = sending.performed
      send(performed.exchange, performed.answer, sending.outgoing, at: now)
    }
  }

  private mutating func perform(_ exchange: consuming Exchange, at now: ClockReading) {
    switch backend.perform(&exchange, at: now) {
    case .needs(let work):
      hold(.planned(exchange))
      wait(for: work, at: now)
    case .answered(let answer):
      awaitsCommit = answer.hold != .none
      sleep(for: exchange.plan.delivery.waitAfter, at: now)
      deliver(exchange, answer, at: now)
    }
  }

  /// Writes the response, unless it has to wait for the disk, for its time, or for the network switch.
  private mutating func deliver(_ exchange: consuming Exchange, _ answer: Backend.Answer, at now: ClockReading) {
    guard !awaitsCommit, wakeUp == nil else {
      return hold(.performed(Progress.Performed(exchange: exchange, answer: answer)))
    }
    guard exchange.isResponseHeld else {
      if answer.response.isStream, !exchange.isHead, let follower = answer.response.follower {
        return stream(exchange, answer, follower, at: now)
      }
      let delivery = write(answer.response, of: exchange, at: now)
      return send(exchange, answer, OutgoingResponse(delivery, at: now.tick), at: now)
    }
    backend.recordHeldResponse(of: exchange)
    awaitNothingElse(at: now)
    hold(.performed(Progress.Performed(exchange: exchange, answer: answer)))
    endNeedlessSilence(at: now)
  }

  /// Continues an exchange whose response the network switch held.
  mutating func release(at now: ClockReading) {
    // An exchange whose work is under way, or postponed, is performed when that is done.
    guard phase != .planned else { return }
    proceed(at: now)
    if phase == .none { advance(at: now) }
    http.awaitPeer(at: now.tick)
  }

  /// Appends the message to the output.
  ///
  /// - Parameter isLast: True if only the end of the connection can end the response.
  mutating func write(
    _ response: Response, of exchange: borrowing Exchange, isLast: Bool = false, at now: ClockReading
  ) -> ResponseDelivery {
    let option = http.state.option(for: exchange.request.version, closing: isLast)
    let delivery = backend.write(response, of: exchange, option, to: &http.output.bytes, at: now)
    if delivery.layout.end > http.output.bytes.count, let body = response.representation {
      http.output.append(longBody: body.bytes)
    }
    http.state.advance(isLast ? .lastResponseBegan : .responseBegan)
    return delivery
  }

  /// Sends the response as the plan says. The exchange is stored only if its response has to wait.
  private mutating func send(
    _ exchange: consuming Exchange, _ answer: Backend.Answer, _ response: consuming OutgoingResponse,
    at now: ClockReading
  ) {
    let pause = release(&response, at: now)
    if pause == .end { return end(exchange, answer, response, at: now) }
    let performed = Progress.Performed(exchange: exchange, answer: answer)
    hold(.sending(Progress.Sending(performed: performed, outgoing: response)))
    switch pause {
    case .hold(let duration): stall(for: duration, at: now)
    case .finish: abandon(.closed, at: now)
    case .reset:
      abandon(.reset, at: now)
      http.isReset = true
    default: break
    }
  }

  /// Releases the response up to the next step that needs the exchange; returns nil if it waits.
  private mutating func release(_ response: inout OutgoingResponse, at now: ClockReading) -> ResponseDelivery.Step? {
    while wakeUp == nil, !response.isSilent {
      switch response.delivery.next() {
      case .release(let index):
        http.output.release(upTo: index)
        response.released = index
      case .wait(let duration): sleep(for: NanosecondDuration(duration), since: response.began, at: now)
      case .hold(let duration):
        response.isSilent = true
        return .hold(duration)
      case let step: return step
      }
    }
    return nil
  }

  /// Sends nothing for some time, or until the peer closes the connection.
  private mutating func stall(for duration: Duration?, at now: ClockReading) {
    awaitNothingElse(at: now)
    if let duration { sleep(for: NanosecondDuration(duration), at: now) }
    endNeedlessSilence(at: now)
  }

  private mutating func end(
    _ exchange: borrowing Exchange, _ answer: Backend.Answer, _ response: OutgoingResponse, at now: ClockReading
  ) {
    http.state.advance(.responseEnded)
    let delivery = response.delivery
    if let sandbox = exchange.sandbox, exchange.id > 0 {
      unsent.append(Backend.Unsent(sandbox: sandbox, id: exchange.id, end: delivery.layout.end))
    }
    let outcome: ExchangeOutcome = delivery.isDeliverable ? .sent : .notDeliverable
    let isGone = http.hasPeerFinished && exchange.plan.summary.delayTime > .zero
    conclude(exchange, answer, response, isGone ? .peerGone : outcome, at: now)
  }

  /// Ends a silence if the peer has left, or if it would keep the server from stopping.
  mutating func endNeedlessSilence(at now: ClockReading) {
    let isDue = phase != .performed || !awaitsCommit && wakeUp == nil
    guard progress.isSilent, isDue, http.hasPeerFinished || http.isDraining else { return }
    abandon(http.hasPeerFinished ? .peerGone : .cut, at: now)
  }

  /// Ends the current exchange without its complete response, and then the connection.
  mutating func abandon(_ outcome: ExchangeOutcome, at now: ClockReading) {
    concludeCurrent(outcome, at: now)
    http.abortResponse()
  }

  /// Records the outcome of the current exchange, if there is one.
  mutating func concludeCurrent(_ outcome: ExchangeOutcome, at now: ClockReading) {
    awaitsCommit = false
    wakeUp = nil
    work = nil
    exchangeAtWork = nil
    switch takeProgress() {
    case .none: return
    case .streaming(let streaming):
      backend.recordEnd(of: streaming.follower, outcome, isSilent: streaming.silence != nil, at: now)
    case .planned(let exchange): conclude(exchange, nil, nil, outcome, at: now)
    case .performed(let performed): conclude(performed.exchange, performed.answer, nil, outcome, at: now)
    case .sending(let sending):
      conclude(sending.performed.exchange, sending.performed.answer, sending.outgoing, outcome, at: now)
    }
  }

  mutating func conclude(
    _ exchange: borrowing Exchange, _ answer: Backend.Answer?, _ outgoing: OutgoingResponse?,
    _ outcome: ExchangeOutcome, at now: ClockReading
  ) {
    let delivery = Backend.Delivery(outcome: outcome, isOnUsedConnection: http.state.requests > 1)
    backend.conclude(exchange, answer, outgoing, delivery, output: http.output.bytes, at: now)
  }
}

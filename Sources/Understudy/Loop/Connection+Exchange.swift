import Contract
import Faults
import HTTP1
import Primitives
import Report
import Services

extension Connection {
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
        var exchange = performed.exchange
        exchange.repeatAfterRollback()
        hold(.planned(exchange))
      }
    case let other: return hold(other)
    }
    proceed(at: now)
  }

  private mutating func wait(for work: Work, at now: ClockReading) {
    self.work = work
    http.awaitOwner(at: now.tick)
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
  }

  private mutating func sleep(
    for duration: NanosecondDuration, since start: MonotonicInstant? = nil, at now: ClockReading
  ) {
    guard duration > .zero else { return }
    wakeUp = (start ?? now.tick) + duration
    http.awaitOwner(at: now.tick)
  }

  /// Continues the current exchange, unless it waits, and then answers further requests.
  private mutating func proceed(at now: ClockReading) {
    if wakeUp == nil { continueProgress(at: now) }
    if phase == .none { advance(at: now) }
    http.awaitPeer(at: now.tick)
  }

  /// The exchange is stored again only if it has to wait once more.
  private mutating func continueProgress(at now: ClockReading) {
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
      if !exchange.isRepeatedAfterRollback { sleep(for: exchange.plan.delivery.waitAfter, at: now) }
      deliver(exchange, answer, at: now)
    }
  }

  /// Writes the response, unless it has to wait for the disk, for its time, or for the network switch.
  private mutating func deliver(
    _ exchange: consuming Exchange, _ answer: consuming Backend.Answer, at now: ClockReading
  ) {
    guard !awaitsCommit, wakeUp == nil else {
      http.awaitOwner(at: now.tick)
      return hold(.performed(Progress.Performed(exchange: exchange, answer: answer)))
    }
    guard exchange.isResponseHeld else {
      if answer.response.isStream, !exchange.isHead, let follower = answer.response.follower,
        let sandbox = exchange.sandbox
      {
        return stream(exchange, answer, follower, from: sandbox, at: now)
      }
      return send(exchange, answer, at: now)
    }
    backend.recordHeldResponse(of: exchange)
    http.awaitOwner(at: now.tick)
    hold(.performed(Progress.Performed(exchange: exchange, answer: answer)))
    endNeedlessSilence(at: now)
  }

  /// Continues the current exchange, if there is one: the network switch no longer holds its response.
  mutating func release(at now: ClockReading) {
    // An exchange whose work is under way, or postponed, is performed when that is done.
    guard phase != .planned else { return }
    proceed(at: now)
  }

  /// Appends the message to the output.
  ///
  /// - Parameter option: The `Connection` field with which the response began.
  mutating func write(
    _ response: Response, of exchange: borrowing Exchange, _ option: ConnectionOption, at now: ClockReading
  ) -> MessageWriter.MessageLayout {
    let layout = backend.write(response, of: exchange, option, to: &http.output.bytes, at: now)
    if layout.end > http.output.bytes.count, let body = response.representation {
      http.output.append(longBody: body.bytes)
    }
    return layout
  }

  /// Writes the response, and sends it: at once, or as the plan says.
  private mutating func send(
    _ exchange: consuming Exchange, _ answer: consuming Backend.Answer, at now: ClockReading
  ) {
    let option = http.beginResponse(to: exchange.request.version)
    let layout = write(answer.response, of: exchange, option, at: now)
    var transmission = Transmission(of: layout, at: now.tick)
    let isDeliverable = !answer.response.isUndeliverable
    guard exchange.plan.isEmpty else {
      let delivery = ResponseDelivery(exchange.plan.delivery, layout, isDeliverable: isDeliverable)
      return send(exchange, answer, OutgoingResponse(transmission, delivery), at: now)
    }
    http.output.release(upTo: layout.end)
    transmission.end = layout.end
    end(exchange, answer, transmission, isDeliverable ? .sent : .notDeliverable, at: now)
  }

  /// Sends the response as the plan says. The exchange is stored only if its response has to wait.
  private mutating func send(
    _ exchange: consuming Exchange, _ answer: consuming Backend.Answer, _ response: consuming OutgoingResponse,
    at now: ClockReading
  ) {
    let pause = release(&response, at: now)
    if pause == .end {
      let outcome: ExchangeOutcome = response.delivery.isDeliverable ? .sent : .notDeliverable
      return end(exchange, answer, response.transmission, outcome, at: now)
    }
    let performed = Progress.Performed(exchange: exchange, answer: answer)
    hold(.sending(Progress.Sending(performed: performed, outgoing: response)))
    switch pause {
    case .hold(let duration): stall(for: duration, at: now)
    case .finish: abandon(.closed, at: now)
    case .reset: abandon(.reset, at: now)
    default: break
    }
  }

  /// Releases the response up to the next step that needs the exchange; returns nil if it waits.
  private mutating func release(_ response: inout OutgoingResponse, at now: ClockReading) -> ResponseDelivery.Step? {
    while wakeUp == nil, !response.isSilent {
      switch response.delivery.next() {
      case .release(let index):
        http.output.release(upTo: index)
        response.transmission.end = index
      case .wait(let duration): sleep(for: NanosecondDuration(duration), since: response.transmission.began, at: now)
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
    http.awaitOwner(at: now.tick)
    if let duration { sleep(for: NanosecondDuration(duration), at: now) }
    endNeedlessSilence(at: now)
  }

  private mutating func end(
    _ exchange: borrowing Exchange, _ answer: Backend.Answer, _ transmission: Transmission,
    _ outcome: ExchangeOutcome, at now: ClockReading
  ) {
    http.endResponse()
    if let sandbox = exchange.sandbox, exchange.id > 0 {
      unsent.append(Backend.Unsent(sandbox: sandbox, id: exchange.id, end: transmission.end))
    }
    let isGone = http.hasPeerFinished && exchange.plan.summary.delayTime > .zero
    conclude(exchange, answer, transmission, isGone ? .peerGone : outcome, at: now)
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
    http.abortResponse(isReset: outcome == .reset)
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
      backend.recordEnd(
        of: streaming.follower, in: streaming.sandbox, outcome, isSilent: streaming.silence != nil, at: now)
    case .planned(let exchange): conclude(exchange, nil, nil, outcome, at: now)
    case .performed(let performed): conclude(performed.exchange, performed.answer, nil, outcome, at: now)
    case .sending(let sending):
      conclude(sending.performed.exchange, sending.performed.answer, sending.outgoing.transmission, outcome, at: now)
    }
  }

  mutating func conclude(
    _ exchange: borrowing Exchange, _ answer: Backend.Answer?, _ transmission: Transmission?,
    _ outcome: ExchangeOutcome, at now: ClockReading
  ) {
    let delivery = Backend.Delivery(outcome: outcome, isOnUsedConnection: http.state.requests > 1)
    backend.conclude(exchange, answer, transmission, delivery, output: http.output.bytes, at: now)
  }
}

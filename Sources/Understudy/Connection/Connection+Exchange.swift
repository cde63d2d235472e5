import Contract
import Faults
import HTTP1
import Primitives
import Report
import Services

extension Connection {
  /// Begins an exchange.
  mutating func start(
    _ request: consuming Request, rest: ContentPipe? = nil, refusal: Response? = nil,
    isIncomplete: Bool = false,
    at now: ClockReading
  ) {
    countBegunRequest()
    var exchange = application.arrive(
      request, by: link, refusal: refusal, isIncomplete: isIncomplete, at: now)
    if let rest { exchange.rest = rest }
    // A connection whose last request was to the control API belongs to the driver of the test, so the outage that it
    // requested does not reset it.
    sandbox = exchange.id > 0 ? exchange.sandbox?.name : nil
    let delay = exchange.isPlanned ? exchange.plan.waitBefore : .zero
    guard delay > .zero else {
      // Handed to `perform(_:at:)`, it would be copied once more, which costs most requests about 60 instructions.
      let performed = application.perform(&exchange, at: now)
      return respond(to: exchange, performed, at: now)
    }
    let end = now.tick + delay
    let isSilent = exchange.plan.silenceBefore != nil
    let pause = isSilent ? Pause.silence(until: end) : .instant(end)
    suspend(.planned(Progress.Planned(exchange: application.preparingPlanFields(of: exchange), until: pause)), at: now)
    endNeedlessSilence(at: now)
  }

  /// Continues the current exchange, whose wait is over, and then answers further requests.
  mutating func resume(at now: ClockReading) { proceed(with: takeProgress(), at: now) }

  private mutating func proceed(with progress: consuming Progress, at now: ClockReading) {
    switch consume progress {
    case .none: break
    case .planned(let planned): perform(planned.exchange, at: now)
    case .working(let working): suspend(.working(working))
    case .performed(let performed):
      deliver(performed.exchange, performed.answer, notBefore: performed.earliest, at: now)
    case .sending(let sending):
      if let sandbox = sending.exchange.sandbox, sandbox.traffic.isSilent {
        application.recordHeldResponse(of: sending.exchange, at: now)
        let held = Progress.Sending(
          exchange: sending.exchange, answer: sending.answer, outgoing: sending.outgoing, until: .network(of: sandbox))
        suspend(.sending(held), at: now)
        endNeedlessSilence(at: now)
      } else {
        send(sending.exchange, sending.answer, sending.outgoing, at: now)
      }
    case .streaming(let streaming): suspend(.streaming(streaming))
    case .ended(let ended):
      awaitReceiptLonger(ended, at: now)
    }
    goOn(at: now)
  }

  /// Answers further requests, unless the current exchange has to wait again.
  mutating func goOn(at now: ClockReading) {
    if !hasExchange { advance(at: now) }
    http.awaitPeer(at: now.tick)
  }

  /// Returns true if the changes that the response waits for are stored, false if they were taken back, and nil if an
  /// image that it waits for is in doubt.
  ///
  /// - Parameter refused: The sandboxes whose changes were taken back in the last round.
  func verdict(afterRefusing refused: [Sandbox]) -> Bool? {
    guard let awaited = suspended?.progress.awaited else { return true }
    if refused.contains(where: awaited.includes) { return false }
    let isInDoubt = application.state.directory?.inDoubt.contains(where: awaited.includes) == true
    return isInDoubt ? nil : true
  }

  /// Records that the changes that the current exchange made or read are on the disk, or were rolled back.
  mutating func resolve(isDurable: Bool, at now: ClockReading) {
    guard awaitsDisk, case .performed(var performed) = takeProgress() else { return }
    guard isDurable || performed.answer.awaited.isOfExchange else { return repeatAfterRollback(performed, at: now) }
    performed.answer.awaited = Application.AwaitedChanges()
    if !isDurable { performed.answer = application.refusal(of: performed.exchange) }
    deliver(performed.exchange, performed.answer, notBefore: performed.earliest, at: now)
    goOn(at: now)
  }

  /// Performs an exchange that only read again, on the state after the rollback.
  private mutating func repeatAfterRollback(_ performed: consuming Progress.Performed, at now: ClockReading) {
    let earliest = performed.earliest
    var exchange = performed.exchange
    exchange.repeatAfterRollback()
    guard earliest > now.tick else {
      return proceed(with: .planned(Progress.Planned(exchange: exchange, until: .instant(earliest))), at: now)
    }
    let pause = plannedPause(of: exchange, until: earliest)
    suspend(.planned(Progress.Planned(exchange: exchange, until: pause)), at: now)
    endNeedlessSilence(at: now)
  }

  /// Receives the result of an exchange's work. It is dropped if the exchange has ended.
  mutating func finish(_ exchange: Int, with result: any Sendable, at now: ClockReading) {
    guard working == exchange, case .working(let working) = takeProgress() else { return }
    let work = working.work
    var exchange = working.exchange
    let performed = application.resume(&exchange, with: result, of: work, at: now)
    respond(to: exchange, performed, at: now)
    goOn(at: now)
  }

  /// Stores and records the current exchange until its next event. Until then, only pending output has a timeout.
  private mutating func suspend(_ next: consuming Progress, at now: ClockReading) {
    record(next, at: now)
    suspend(next)
    http.awaitOwner(at: now.tick)
  }

  private func record(_ progress: borrowing Progress, at now: ClockReading) {
    switch progress {
    case .planned(let planned): application.recordUnfinished(planned.exchange, at: now)
    case .working(let working): application.recordUnfinished(working.exchange, at: now)
    case .performed(let performed): application.recordUnfinished(performed.exchange, at: now)
    case .sending(let sending): application.recordUnfinished(sending.exchange, at: now)
    default: break
    }
  }

  private mutating func perform(_ exchange: consuming Exchange, at now: ClockReading) {
    let performed = application.perform(&exchange, at: now)
    respond(to: exchange, performed, at: now)
  }

  /// Writes the response to an exchange, or lets it wait for its work.
  private mutating func respond(
    to exchange: consuming Exchange, _ performed: consuming Application.Performed, at now: ClockReading
  ) {
    switch consume performed {
    case .awaits(let work): suspend(.working(Progress.Working(exchange: exchange, work: work)), at: now)
    case .answered(let answer):
      // An exchange that is performed again has waited already.
      let hasWaited = !exchange.isPlanned || exchange.isRepeatedAfterRollback
      let earliest = hasWaited ? now.tick : now.tick + exchange.plan.waitAfter
      // Most responses do not wait, and to hand over the exchange would copy it.
      if !exchange.isPlanned, !answer.response.isStream, !mayHaveLeft(exchange),
        wait(of: exchange, answer, until: earliest, at: now) == nil
      {
        return sendAtOnce(exchange, answer, at: now)
      }
      deliver(exchange, answer, notBefore: earliest, at: now)
    }
  }

  /// Writes the response, unless it has to wait for the disk, for its time, or for the network switch.
  private mutating func deliver(
    _ exchange: consuming Exchange, _ answer: consuming Application.Answer, notBefore earliest: MonotonicInstant,
    at now: ClockReading
  ) {
    if let release = wait(of: exchange, answer, until: earliest, at: now) {
      if case .network = release { application.recordHeldResponse(of: exchange, at: now) }
      let performed = Progress.Performed(exchange: exchange, answer: answer, earliest: earliest, until: release)
      suspend(.performed(performed), at: now)
      endNeedlessSilence(at: now)
    } else if answer.response.isStream, !exchange.isHead, let follower = answer.response.follower,
      let sandbox = exchange.sandbox
    {
      stream(exchange, answer, follower, from: sandbox, at: now)
    } else if !exchange.isPlanned, !mayHaveLeft(exchange) {
      sendAtOnce(exchange, answer, at: now)
    } else {
      send(exchange, answer, at: now)
    }
  }

  /// Returns the event for which a response has to wait, if there is one.
  private func wait(
    of exchange: borrowing Exchange, _ answer: borrowing Application.Answer, until earliest: MonotonicInstant,
    at now: ClockReading
  ) -> Release? {
    if !answer.awaited.isEmpty { return .disk }
    if earliest > now.tick { return .pause(plannedPause(of: exchange, until: earliest)) }
    guard let sandbox = exchange.sandbox, exchange.isResponseHeld else { return nil }
    return .network(of: sandbox)
  }

  private func plannedPause(of exchange: borrowing Exchange, until end: MonotonicInstant) -> Pause {
    exchange.plan.silenceAfter == nil ? .instant(end) : .silence(until: end)
  }

  /// Refuses the request of a waiting exchange that has had no effect. Nothing of its plan happens any more, and the result
  /// of its work is dropped.
  mutating func refuseWaiting(at now: ClockReading) {
    switch takeProgress() {
    case .planned(let planned): refuse(planned.exchange, at: now)
    case .working(let working): refuse(working.exchange, at: now)
    default: preconditionFailure("an exchange that may have had an effect is not refused")
    }
    goOn(at: now)
  }

  private mutating func refuse(_ exchange: consuming Exchange, at now: ClockReading) {
    exchange.refuse(with: .requestsTooLong)
    perform(exchange, at: now)
  }

  /// Continues the current exchange if the network switch held its response, and no longer does.
  mutating func release(at now: ClockReading) {
    if isHeldByNetwork { resume(at: now) }
  }

  /// Appends the message to the output. The option is the `Connection` field with which the response began.
  mutating func write(
    _ response: Response, of exchange: borrowing Exchange, _ option: ConnectionOption, at now: ClockReading
  ) -> MessageLayout {
    let layout = application.write(response, of: exchange, option, to: &http.output.bytes, at: now)
    if layout.end > http.output.bytes.count, let body = response.representation {
      http.output.append(longBody: body.bytes)
    }
    return layout
  }

  /// Writes the response, and releases it without a plan.
  private mutating func sendAtOnce(
    _ exchange: borrowing Exchange, _ answer: borrowing Application.Answer, at now: ClockReading
  ) {
    let layout = write(answer.response, of: exchange, http.beginResponse(to: exchange.request.version), at: now)
    http.output.release(upTo: layout.end)
    let transmission = Transmission(ofWhole: layout, at: now.tick)
    end(exchange, answer, answer.response.isUndeliverable ? .notDeliverable : .sent, transmission, at: now)
  }

  /// Writes the response, and sends it as the plan says.
  private mutating func send(
    _ exchange: consuming Exchange, _ answer: consuming Application.Answer, at now: ClockReading
  ) {
    let layout = write(answer.response, of: exchange, http.beginResponse(to: exchange.request.version), at: now)
    let outgoing = OutgoingResponse(
      transmission: Transmission(of: layout, at: now.tick),
      delivery: ResponseDelivery(exchange.plan, layout, isDeliverable: !answer.response.isUndeliverable))
    send(exchange, answer, outgoing, at: now)
  }

  /// Sends the response as the plan says. The exchange is stored only if its response has to wait.
  private mutating func send(
    _ exchange: consuming Exchange, _ answer: consuming Application.Answer, _ response: consuming OutgoingResponse,
    at now: ClockReading
  ) {
    let step = release(&response)
    if case .end = step {
      let outcome: ExchangeOutcome = response.delivery.isDeliverable ? .sent : .notDeliverable
      guard !mayHaveLeft(exchange) else {
        return awaitReceipt(of: exchange, answer, outcome, response.transmission, at: now)
      }
      return end(exchange, answer, outcome, response.transmission, at: now)
    }
    let began = response.transmission.began
    let until: Release =
      switch step {
      case .wait(let duration): .pause(.instant(began + duration))
      case .hold(let duration): .pause(.silence(until: duration.map { now.tick + $0 }))
      default: .pause(.silence(until: nil))
      }
    let sending = Progress.sending(
      Progress.Sending(exchange: exchange, answer: answer, outgoing: response, until: until))
    switch step {
    case .wait: suspend(sending, at: now)
    case .hold:
      suspend(sending, at: now)
      endNeedlessSilence(at: now)
    case .reset: abandon(sending, .reset, at: now)
    default: abandon(sending, .closed, at: now)
    }
  }

  /// Releases the response up to the next step that needs the exchange.
  private mutating func release(_ response: inout OutgoingResponse) -> ResponseDelivery.Step {
    while true {
      switch response.delivery.next() {
      case .release(let index):
        http.output.release(upTo: index)
        response.transmission.end = index
      case .wait(until: .zero): break
      case let step: return step
      }
    }
  }
}

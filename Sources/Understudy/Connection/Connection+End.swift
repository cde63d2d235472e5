import Contract
import Faults
import HTTP1
import Primitives
import Report
import Services

/// The end of an exchange, and its entry.
extension Connection {
  /// Ends an exchange whose response is released.
  mutating func end(
    _ exchange: borrowing Exchange, _ answer: borrowing Application.Answer, _ outcome: ExchangeOutcome,
    _ transmission: Transmission, at now: ClockReading
  ) {
    http.endResponse()
    if let response = Application.Unsent(of: exchange, end: transmission.end) { unsent.append(response) }
    application.conclude(
      exchange, response: answer.response, versions: answer.versions, delivery: delivery(outcome, transmission), at: now
    )
  }

  /// Returns true if the peer sends nothing more and the exchange has waited: it may still read, or have left meanwhile.
  func mayHaveLeft(_ exchange: borrowing Exchange) -> Bool {
    http.hasPeerFinished && (exchange.traits.contains(.isAsked) || exchange.plan.isDelayed || exchange.wasHeld)
  }

  /// Lets an exchange whose response is released wait for the peer's receipt.
  mutating func awaitReceipt(
    of exchange: consuming Exchange, _ answer: consuming Application.Answer, _ outcome: ExchangeOutcome,
    _ transmission: Transmission, at now: ClockReading
  ) {
    application.recordUnfinished(exchange, at: now)
    var delivery = delivery(outcome, transmission)
    delivery.end(at: now.tick)
    let receipt = Progress.Receipt(at: now.tick, limit: now.tick + http.timeouts.linger)
    suspend(.ended(Progress.Ended(exchange: exchange, answer: answer, delivery: delivery, receipt: receipt)))
    http.awaitOwner(at: now.tick)
  }

  /// Waits longer for the receipt of a response, but, once all of it is sent, not longer than for a peer's FIN.
  mutating func awaitReceiptLonger(_ ended: consuming Progress.Ended, at now: ClockReading) {
    let limit = http.output.pending > 0 ? now.tick + http.timeouts.linger : ended.receipt.limit
    guard now.tick < limit else { return settle(ended, at: now) }
    suspend(
      .ended(
        Progress.Ended(
          exchange: ended.exchange, answer: ended.answer, delivery: ended.delivery,
          receipt: Progress.Receipt(at: now.tick, limit: limit))))
  }

  /// Ends the exchange whose response the peer has received, and answers further requests.
  mutating func didReceiveResponse(at now: ClockReading) {
    guard awaitsReceipt, case .ended(let ended) = takeProgress() else { return }
    settle(ended, at: now)
    goOn(at: now)
  }

  private mutating func settle(_ ended: consuming Progress.Ended, at now: ClockReading) {
    conclude(.ended(ended), .sent, at: now)
    http.endResponse()
  }

  /// Ends a silence if the peer has left, or if it would keep the server from stopping. A peer that has closed its sending
  /// side may still wait for the response that the network switch holds.
  mutating func endNeedlessSilence(at now: ClockReading) {
    guard isSilent, http.hasPeerFinished && !isHeldUntilOnline || http.isDraining else { return }
    abandon(takeProgress(), http.hasPeerFinished ? .peerGone : .cut, at: now)
  }

  /// Ends an exchange without its complete response, and then the connection.
  mutating func abandon(_ progress: consuming Progress, _ outcome: ExchangeOutcome, at now: ClockReading) {
    conclude(progress, outcome, at: now)
    http.abortResponse(isReset: outcome == .reset)
  }

  /// Ends an exchange whose connection ends, if there is one. A question that was asked goes on, because it may have an
  /// effect.
  func leave(_ progress: consuming Progress, _ outcome: ExchangeOutcome, at now: ClockReading) {
    guard progress.isAsking else { return conclude(progress, outcome, at: now) }
    switch consume progress {
    case .working(let left):
      let work = left.work
      application.leave(left.exchange, work, delivery(outcome), at: now)
    default: preconditionFailure("only work asks a question")
    }
  }

  /// Records the outcome of an exchange, if there is one. One that has ended has its own.
  func conclude(_ progress: borrowing Progress, _ outcome: ExchangeOutcome, at now: ClockReading) {
    switch progress {
    case .none: return
    case .streaming(let streaming):
      if var line = streaming.line {
        line.end(bytes: streaming.byteCount, at: now.tick)
        application.requestLog.record(line)
      }
      application.recordEnd(of: streaming, outcome, at: now)
    case .planned(let planned):
      application.conclude(
        planned.exchange, response: nil, versions: nil, delivery: delivery(outcome), at: now)
    case .working(let working):
      application.conclude(
        working.exchange, response: nil, versions: nil, delivery: delivery(outcome), at: now)
    case .performed(let performed):
      if case .content(let content)? = performed.answer.response.follower { content.pipe.close() }
      // If the disk refuses the change, no 507 will say so.
      if performed.answer.awaited.isOfExchange { performed.exchange.sandbox?.state.unansweredChangeCount += 1 }
      application.conclude(
        performed.exchange, response: performed.answer.response, versions: performed.answer.versions,
        delivery: delivery(outcome), at: now)
    case .sending(let sending):
      application.conclude(
        sending.exchange, response: sending.answer.response, versions: sending.answer.versions,
        delivery: delivery(outcome, sending.outgoing.transmission), at: now)
    case .ended(let ended):
      var delivery = ended.delivery
      if outcome != .sent {
        let isAsked = ended.exchange.traits.contains(.isAsked)
        delivery.noteLoss(outcome, wasAsked: isAsked && !ended.exchange.plan.isDelayed)
      }
      application.conclude(
        ended.exchange, response: ended.answer.response, versions: ended.answer.versions, delivery: delivery, at: now)
    }
  }

  /// Returns the outcome of an exchange on this connection.
  ///
  /// - Parameter transmission: Nil if no response was written.
  func delivery(_ outcome: ExchangeOutcome, _ transmission: Transmission? = nil) -> Application.Delivery {
    Application.Delivery(
      outcome: outcome, isOnUsedConnection: http.state.requests > 1, transmission, in: http.output.bytes)
  }

  /// Ends the connection by RST, because the responses of all connections take too much memory. The entries of its responses
  /// say so.
  mutating func cutForMemory(at now: ClockReading) {
    let cut =
      unsentResponses.map { ($0.sandbox, $0.id) } + (suspended?.progress.entry.map { [$0] } ?? [])
    leave(takeProgress(), .cut, at: now)
    recordUnsent(.cut)
    for (sandbox, id) in cut {
      sandbox.traffic.exchangeLog.note(
        "cut: the responses of all connections took too much memory", on: id)
    }
    upload?.finish(.cut(.malformed))
    discard(http.reset())
  }
}

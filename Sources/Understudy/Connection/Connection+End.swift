import Faults
import HTTP1
import Primitives
import Report

/// The end of an exchange, and its record.
extension Connection {
  /// Completes the record of the exchange, unless the connection has ended since. Requests that wait behind it are left for
  /// `advanceDeferred(at:)`.
  mutating func completeRecord(at now: ClockReading) {
    guard awaitsRecord else { return }
    conclude(takeProgress(), .sent, at: now)
  }

  /// Ends an exchange whose response is released.
  mutating func end(
    _ exchange: borrowing Exchange, _ answer: borrowing Application.Answer, _ outcome: ExchangeOutcome,
    _ transmission: Transmission, at now: ClockReading
  ) {
    http.endResponse()
    if let response = Application.Unsent(of: exchange, end: transmission.end) { unsent.append(response) }
    application.conclude(
      exchange, response: answer.response, versions: answer.versions, transmission: transmission,
      delivery: delivery(of: exchange, outcome), output: http.output.bytes, at: now)
  }

  /// Ends an exchange whose response is released, but for its record.
  mutating func endWithoutRecord(
    _ exchange: consuming Exchange, _ answer: consuming Application.Answer, _ outcome: ExchangeOutcome,
    _ transmission: Transmission, at now: ClockReading
  ) {
    http.endResponse()
    if let response = Application.Unsent(of: exchange, end: transmission.end) { unsent.append(response) }
    var delivery = delivery(of: exchange, outcome)
    // The output drops what is sent.
    let lines = transmission.layout?.fieldLines ?? 0..<0
    let fields = exchange.sandbox?.exchangeLog.storeFields(lines, of: http.output.bytes, exchange: exchange.id)
    delivery.earlier = (now.tick, fields ?? 0..<0)
    let ended = Progress.Ended(exchange: exchange, answer: answer, transmission: transmission, delivery: delivery)
    hold(.ended(ended))
  }

  private func delivery(of exchange: borrowing Exchange, _ outcome: ExchangeOutcome) -> Application.Delivery {
    var delivery = delivery(outcome)
    if http.hasPeerFinished {
      delivery.noteFinishedPeer(isDelayed: exchange.plan.delivery.isDelayed, isForwarded: exchange.isForwarded)
    }
    return delivery
  }

  /// Ends a silence if the peer has left, or if it would keep the server from stopping.
  mutating func endNeedlessSilence(at now: ClockReading) {
    guard isSilent, http.hasPeerFinished || http.isDraining else { return }
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
    let (delivery, output) = (delivery(outcome), http.output.bytes)
    switch progress {
    case .none: return
    case .streaming(let streaming):
      application.recordEnd(of: streaming, outcome, at: now)
    case .planned(let planned):
      application.conclude(
        planned.exchange, response: nil, versions: nil, transmission: nil, delivery: delivery, output: output, at: now)
    case .working(let working):
      application.conclude(
        working.exchange, response: nil, versions: nil, transmission: nil, delivery: delivery, output: output, at: now)
    case .performed(let performed):
      if case .content(let content)? = performed.answer.response.follower { content.pipe.close() }
      // If the disk refuses the change, no 507 will say so.
      if performed.answer.awaited == .writes { performed.exchange.sandbox?.unansweredChangeCount += 1 }
      application.conclude(
        performed.exchange, response: performed.answer.response, versions: performed.answer.versions,
        transmission: nil, delivery: delivery, output: output, at: now)
    case .sending(let sending):
      application.conclude(
        sending.exchange, response: sending.answer.response, versions: sending.answer.versions,
        transmission: sending.outgoing.transmission, delivery: delivery, output: output, at: now)
    case .ended(let ended):
      application.conclude(
        ended.exchange, response: ended.answer.response, versions: ended.answer.versions,
        transmission: ended.transmission, delivery: ended.delivery, output: output, at: now)
    }
  }

  /// Returns the outcome of an exchange on this connection.
  func delivery(_ outcome: ExchangeOutcome) -> Application.Delivery {
    Application.Delivery(outcome: outcome, isOnUsedConnection: http.state.requests > 1)
  }
}

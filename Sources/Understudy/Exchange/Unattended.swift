import HTTP1
import Primitives
import Report
import Services

/// An exchange whose client has left while a question was open. Its question goes on, because it may have an effect.
final class UnattendedExchange {
  fileprivate var exchange: Exchange?
  fileprivate let work: Work
  fileprivate let delivery: Application.Delivery

  fileprivate init(_ exchange: consuming Exchange, _ work: Work, _ delivery: Application.Delivery) {
    self.exchange = .some(exchange)
    self.work = work
    self.delivery = delivery
  }
}

extension Application {
  /// Records that a question is asked: until it is answered, it is unknown whether a write was applied.
  func recordQuestion(of exchange: borrowing Exchange) {
    guard exchange.isWrite, let sandbox = exchange.sandbox, exchange.id > 0,
      sandbox.traffic.exchangeLog.concerns(exchange.id)
    else { return }
    sandbox.traffic.exchangeLog.journal.update(exchange.id) { $0.mark(.effectUnknown) }
  }

  /// Records that the client of a question has left. Until the answer comes, it is unknown whether the request was applied.
  func leave(_ exchange: consuming Exchange, _ work: Work, _ delivery: Delivery, at now: ClockReading) {
    guard case .question(let question, let respondent) = work.task else { return }
    if let sandbox = exchange.sandbox, exchange.id > 0, sandbox.traffic.exchangeLog.concerns(exchange.id) {
      sandbox.traffic.exchangeLog.journal.update(exchange.id) { entry in
        entry.outcome = delivery.outcome
        // A read has no effect, but its entry is incomplete, too.
        entry.mark(.effectUnknown)
      }
    }
    exchange.clientHasLeft = true
    var delivery = delivery
    delivery.isLate = true
    delivery.end(at: now.tick)
    unattended[question.id] = UnattendedExchange(exchange, work, delivery)
    respondent.clientLeft(question.id)
  }

  /// Completes the entry of an exchange whose client has left, when the answer to its question has come.
  func finishUnattended(_ question: Int, with answer: Response, at now: ClockReading) {
    guard let left = unattended.removeValue(forKey: question), var exchange = left.exchange.take() else { return }
    guard case .answered(let answer) = resume(&exchange, with: answer, of: left.work, at: now) else {
      preconditionFailure("no job is done for a client that has left")
    }
    conclude(
      exchange, response: answer.response, versions: answer.versions, delivery: left.delivery, at: now)
  }

  /// Completes the entries of all exchanges whose clients have left: no answer will come any more.
  func giveUpUnattended(at now: ClockReading) {
    for id in unattended.keys.sorted() {
      guard let left = unattended.removeValue(forKey: id), let exchange = left.exchange.take() else { continue }
      conclude(exchange, response: nil, versions: nil, delivery: left.delivery, at: now)
    }
  }
}

import Faults
import HTTP1
import Services

extension Responder {
  /// Asks a source that is not the sandbox's state.
  ///
  /// A source has no copy on which a request could be tried. So it is not asked where the response must have no effect: for
  /// HEAD, unless the backend decides what that does, and with a fault of phase `before`. Such a fault that needs the
  /// response's content cannot be applied, and neither can one that shows an older state.
  func asked(
    _ source: any ResponseSource, _ exchange: inout Exchange, _ sandbox: Sandbox, _ application: Application,
    changesState: Bool
  ) -> Performance {
    let unasked = Response(200)
    let changesState = changesState && !(exchange.isHead && exchange.isForwarded)
    if exchange.isHead && changesState { return .response(unasked) }
    let planned = PlannedResponse(plan: exchange.plan.message)
    let isBefore = planned.actsOnCopy
    if isBefore && planned.obstacle(to: unasked, of: exchange.request) == nil { return .response(unasked) }
    let readsContent = planned.plan.damage != nil || planned.plan.coding != nil
    let question = Question(
      id: exchange.ordinal, head: exchange.request.bytes[exchange.request.head],
      content: exchange.request.bytes[exchange.request.body], readsContent: readsContent,
      forwarding: application.upstream?.forwarding(of: exchange, readsContent: readsContent))
    return .work(
      Work(task: .question(question, to: source)) { answer, exchange, _, _ in
        guard let answer = answer as? Response else { preconditionFailure("a question is answered by a response") }
        // The versions count the changes wherever they are made, so the journal and the report see this one.
        if answer.changed { sandbox.state.store.countChange() }
        if planned.plan.versionsAgo > 0 { return .response(answer.undeliverable(.showsNoState)) }
        // To a safe request the answer is the same before and after, so a fault of either phase can harm it.
        if isBefore, changesState { return .response(answer.undeliverable(.noCopy)) }
        return .response(followed(answer, of: exchange))
      })
  }

  /// Returns an answer whose content is passed on as it comes, as far as the plan allows a stream.
  private func followed(_ answer: Response, of exchange: borrowing Exchange) -> Response {
    guard case .content(var follower)? = answer.follower else { return answer }
    var answer = answer
    let fault = exchange.plan.delivery.fault
    let isAfterEvents = fault?.eventLimit != nil
    if isAfterEvents, follower.isEndless { follower.fault = fault }
    follower.pace = exchange.plan.delivery.pace
    (follower.request, follower.isWrite) = (exchange.id, exchange.isWrite)
    answer.follower = .content(follower)
    guard exchange.plan.message.hasFault, follower.fault == nil else { return answer }
    guard !isAfterEvents else { return answer.undeliverable(.noStream) }
    let planned = PlannedResponse(plan: exchange.plan.message)
    guard planned.obstacle(to: answer, of: exchange.request) == nil else { return answer.undeliverable(.passedOn) }
    // The silence is a part of the waits, and the content follows it.
    if fault?.hold?.then == .resume { return answer }
    // The client gets nothing of the content.
    answer.follower = nil
    follower.pipe.close()
    return answer
  }
}

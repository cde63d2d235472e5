import Faults
import HTTP1
import Services

extension Responder {
  /// Asks a source that is not the sandbox's state.
  ///
  /// A source has no copy on which a request could be tried. So it is not asked where the response must have no effect: for
  /// HEAD, and with a fault of phase `before`. Such a fault that needs the response's content cannot be applied,
  /// and neither can one that shows an older state.
  func asked(
    _ source: any ResponseSource, _ exchange: inout Exchange, _ sandbox: Sandbox, changesState: Bool
  ) -> Performance {
    let unasked = Response(200)
    if exchange.isHead && changesState { return .response(unasked) }
    let planned = PlannedResponse(plan: exchange.plan.message)
    let isBefore = planned.actsOnCopy
    if isBefore && planned.obstacle(to: unasked, of: exchange.request) == nil { return .response(unasked) }
    let question = Question(
      id: exchange.ordinal, head: exchange.request.bytes[exchange.request.head],
      content: exchange.request.bytes[exchange.request.body],
      readsContent: planned.plan.damage != nil || planned.plan.coding != nil)
    return .work(
      Work(task: .question(question, to: source)) { answer, _, _, _ in
        guard let answer = answer as? Response else { preconditionFailure("a question is answered by a response") }
        // The versions count the changes wherever they are made, so the journal and the report see this one.
        if answer.changed { sandbox.store.countChange() }
        if planned.plan.versionsAgo > 0 { return .response(answer.undeliverable(.showsNoState)) }
        return .response(isBefore ? answer.undeliverable(.noCopy) : answer)
      })
  }
}

import Faults
import HTTP1
import Primitives
import Services

extension Upstream: Source {
  /// Requests to a backend end with their content, whatever it will be.
  func expectation(of request: Requested, _ exchange: borrowing Exchange, _ application: Application)
    -> Responder.Expectation
  {
    .content
  }

  /// Asks the backend.
  ///
  /// It has no copy on which a request could be tried. So it is not asked where the response must have no effect: with a
  /// fault of phase `before`. Such a fault that needs the response's content cannot be applied, and neither can one that
  /// shows an older state.
  func response(
    to request: Requested, _ exchange: inout Exchange, _ application: Application, _ now: ClockReading
  ) -> Performance {
    guard let respondent else { preconditionFailure("a server asks its backend") }
    let unasked = Response(200)
    // The backend decides what HEAD does.
    let changesState = request.changesState && !exchange.isHead
    let planned = PlannedResponse(plan: exchange.plan)
    let isBefore = planned.actsOnCopy
    if isBefore && planned.obstacle(to: unasked, of: exchange.request) == nil { return .response(unasked) }
    let readsContent = planned.plan.damage != nil || planned.plan.coding != nil
    let question = Question(
      id: exchange.ordinal,
      forwarding: forwarding(of: exchange, readsContent: readsContent, holdsAnswer: planned.plan.hasFault))
    return .work(
      Work(task: .question(question, to: respondent)) { answer, exchange, application, _ in
        guard let answer = answer as? Response else { preconditionFailure("a question is answered by a response") }
        // The versions count the changes wherever they are made, so the journal and the report see this one.
        if answer.changed { request.sandbox.state.store.countChange() }
        if planned.plan.versionsAgo > 0 { return .response(answer.undeliverable(.showsNoState)) }
        let followed = Self.followed(answer, of: exchange, isJournaled: application.journalsBodies)
        // To a safe request the answer is the same before and after, so a fault of either phase can harm it.
        return .response(isBefore && changesState ? followed.undeliverable(.noCopy) : followed)
      })
  }

  /// Returns an answer whose content is passed on as it comes, as far as the plan allows a stream.
  private static func followed(_ answer: Response, of exchange: borrowing Exchange, isJournaled: Bool) -> Response {
    guard case .content(var follower)? = answer.follower else { return answer }
    var answer = answer
    follower.pace = exchange.plan.pace
    (follower.request, follower.isWrite) = (exchange.id, exchange.isWrite)
    if isJournaled, follower.kind == .finite, answer.forwarded?.mediaType != .png { follower.journal() }
    let fault = exchange.plan.ending
    let isStruck = fault.map { follower.plan($0) } ?? false
    answer.follower = .content(follower)
    guard exchange.plan.hasFault, !isStruck else { return answer }
    guard fault?.eventLimit == nil else { return answer.undeliverable(.noStream) }
    let planned = PlannedResponse(plan: exchange.plan)
    guard planned.obstacle(to: answer, of: exchange.request) == nil else { return answer.undeliverable(.passedOn) }
    // The silence is a part of the waits, and the content follows it.
    if fault?.hold?.then == .resume { return answer }
    // The client gets nothing of the content.
    answer.follower = nil
    follower.pipe.close()
    return answer
  }
}

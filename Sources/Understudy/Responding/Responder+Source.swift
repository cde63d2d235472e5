import Faults
import HTTP1
import Services

extension Responder {
  /// Returns the response of a source that is not the sandbox's state.
  ///
  /// A source has no copy on which a call could be tried. So it is not asked where the response must have no effect: for
  /// HEAD, and with a fault of phase `before`. Such a fault that needs the response's content cannot be applied,
  /// and neither can one that shows an older state.
  func asked(
    _ source: any ResponseSource, _ call: Call, _ route: Router.Route, _ exchange: inout Exchange, _ sandbox: Sandbox,
    _ application: Application, changesState: Bool
  ) -> Response {
    let unasked = Response(200)
    if exchange.isHead && changesState { return unasked }
    let planned = PlannedResponse(plan: exchange.plan.message)
    let isBefore = planned.actsOnCopy
    if isBefore && planned.obstacle(to: unasked, of: exchange.request) == nil { return unasked }
    let head = exchange.request.bytes[exchange.request.head]
    let answer = application.offLoopWork(of: &exchange).value(.question) {
      var source = source
      return source.respond(api: route.api, to: call, head: head)
    }
    guard let answer else { return .pending }
    // The versions count the changes wherever they are made, so the journal and the report see this one.
    if answer.changed { sandbox.store.countChange() }
    if planned.plan.versionsAgo > 0 { return answer.undeliverable(.showsNoState) }
    return isBefore ? answer.undeliverable(.noCopy) : answer
  }
}

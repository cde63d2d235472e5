import Contract
import Faults
import HTTP1
import Primitives
import Services

/// Answers an exchange from the source of its route, and applies the plan to the response.
struct Responder {
  /// Returns the planned response, with its problem rendered and its representation chosen.
  func response(to exchange: inout Exchange, _ application: Application, at now: ClockReading) -> Performance {
    guard exchange.isPlanned, exchange.plan.hasFault else {
      let performance = response(of: &exchange, application, at: now)
      let port = exchange.link.port
      let fields = port.isControl ? application.gate.fields(for: exchange.request, at: port) : []
      guard !performance.isRendered || !fields.isEmpty else { return performance }
      return performance.then(
        { response, exchange, application, _ in
          var response = unharmed(response, exchange, application)
          response.fields += fields
          return .response(response)
        },
        for: &exchange, application, at: now)
    }
    let planned = PlannedResponse(plan: exchange.plan)
    var substitute = planned.substitute(at: now.real)
    if let status = substitute?.status { substitute?.fields += challenge(with: status, of: exchange, application) }
    if let substitute, planned.plan.phase == .before {
      return .response(rendered(substitute, exchange, shape(exchange, application)))
    }
    return harmed(by: substitute, &exchange, application, now) { exchange, application, now in
      response(of: &exchange, application, at: now)
    }
  }

  private func unharmed(
    _ response: Response, _ exchange: borrowing Exchange, _ application: Application
  ) -> Response {
    response.hasProblem ? rendered(response, exchange, shape(exchange, application)) : response
  }

  /// Takes a step, and applies the plan to its response.
  ///
  /// - Parameter substitute: The response that the plan has in place of it, if it has one.
  private func harmed(
    by substitute: Response?, _ exchange: inout Exchange, _ application: Application, _ now: ClockReading,
    _ step: Work.Step
  ) -> Performance {
    let planned = PlannedResponse(plan: exchange.plan)
    // Only the step that returns the response has changed something.
    let before = planned.actsOnCopy ? exchange.sandbox?.savepoint : nil
    let performed: Response
    switch step(&exchange, application, now) {
    case .response(let response): performed = response
    case .work(let work): return .work(work.within { harmed(by: substitute, &$0, $1, $2, $3) })
    }
    let shape = shape(exchange, application)
    let original = rendered(performed, exchange, shape)
    if let substitute { return .response(rendered(substitute.replacing(original), exchange, shape)) }
    if planned.plan.versionsAgo > 0, exchange.operation == nil {
      return .response(original.undeliverable(.showsNoState))
    }
    // A fault that cannot be applied has no effect, so the handler's change must be kept.
    if original.isUndeliverable || exchange.clientHasLeft { return .response(original) }
    if case .content(let content)? = original.follower, content.strike != nil { return .response(original) }
    if let obstacle = planned.obstacle(to: original, of: exchange.request) {
      return .response(original.undeliverable(obstacle))
    }
    guard planned.isLongToDamage(original) else {
      guard var damaged = planned.damaged(original) else {
        return .response(original.undeliverable(.unsuitedContent))
      }
      if let before {
        exchange.sandbox?.savepoint = before
        damaged.changed = false
      }
      return .response(damaged)
    }
    // It has changed no data, but perhaps stored the response under a key.
    if let before { exchange.sandbox?.savepoint = before }
    return .job(.worker, { { planned.damaged(original) } }) { damaged, _, _, _ in
      .response(damaged ?? original.undeliverable(.unsuitedContent))
    }
  }

  /// Returns the fields that RFC 9110 requires with a status, besides those of every response.
  private func challenge(with status: Int, of exchange: borrowing Exchange, _ application: Application)
    -> [ResponseField]
  {
    switch status {
    // The resource has not moved: a client that follows finds it at the same URL, where the next request has its own plan.
    case 301, 302, 303, 307, 308: [ResponseField("Location", location(of: exchange))]
    case 401: [ResponseField("WWW-Authenticate", AccessControl.challenge)]
    case 405:
      [ResponseField("Allow", application.router.otherMethods(than: exchange.method, at: exchange.target))]
    case 407: [ResponseField("Proxy-Authenticate", AccessControl.challenge)]
    case 426: [ResponseField("Upgrade", "HTTP/1.1")]
    default: []
    }
  }

  /// Returns the absolute URL of a request on the client's side.
  private func location(of exchange: borrowing Exchange) -> String {
    let path = exchange.address.origin + exchange.request.text(exchange.request.path)
    guard let query = exchange.request.query else { return path }
    return path + "?" + exchange.request.text(query)
  }

  func shape(_ exchange: borrowing Exchange, _ application: Application) -> API.ErrorShape {
    exchange.api.map { application.router.shape(ofErrorsOf: $0) } ?? .problem
  }

  private func response(
    of exchange: inout Exchange, _ application: Application, at now: ClockReading
  ) -> Performance {
    if let refusal = refusal(of: exchange, application, hasContent: !exchange.request.body.isEmpty) {
      return .response(refusal)
    }
    switch exchange.target {
    case .immediate(let response, _): return .response(response)
    case .operation(let route, let arguments):
      let request = requested(route, arguments, by: exchange, at: now.real)
      return exchange.destination.source.response(to: request, &exchange, application, now)
    }
  }

  /// Returns the request of an exchange that is not refused.
  func requested(
    _ route: Router.Route, _ arguments: [String], by exchange: borrowing Exchange, at now: Instant
  ) -> Requested {
    guard let operation = exchange.operation else { preconditionFailure("the route is that of an operation") }
    guard let sandbox = exchange.sandbox else { preconditionFailure("an operation has a sandbox") }
    let call = Call(
      operation: route.operation, arguments: arguments,
      query: exchange.query, body: exchange.request.bytes[exchange.request.body],
      contentType: exchange.first(.contentType).map { exchange.request.bytes[$0.value] },
      base: exchange.address.base, now: sandbox.state.clock.now(at: now))
    return Requested(call: call, route: route, operation: operation, sandbox: sandbox)
  }
}

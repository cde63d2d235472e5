import Contract
import Faults
import HTTP1
import Primitives
import Services

/// Answers an exchange from the state of its sandbox: idempotency, then preconditions, then the handler.
struct Responder {
  /// Returns the planned response, with its problem rendered and its representation chosen.
  func response(to exchange: inout Exchange, _ application: Application, at now: ClockReading) -> Performance {
    guard exchange.isPlanned, exchange.plan.message.hasFault else {
      switch response(of: &exchange, application, at: now) {
      case .response(let response): return .response(unharmed(response, exchange, application))
      case .work(let work):
        return .work(
          work.then { response, exchange, application, _ in
            .response(unharmed(response, exchange, application))
          })
      }
    }
    let planned = PlannedResponse(plan: exchange.plan.message)
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
    let planned = PlannedResponse(plan: exchange.plan.message)
    // Only the step that returns the response has changed something.
    let before = planned.actsOnCopy ? exchange.sandbox?.savepoint : nil
    let performed: Response
    switch step(&exchange, application, now) {
    case .response(let response): performed = response
    case .work(let work): return .work(work.within { harmed(by: substitute, &$0, $1, $2, $3) })
    }
    let shape = shape(exchange, application)
    let original = rendered(performed, exchange, shape)
    if var substitute {
      substitute.changed = original.changed
      return .response(rendered(substitute, exchange, shape))
    }
    if planned.plan.versionsAgo > 0, exchange.operation == nil {
      return .response(original.undeliverable(.showsNoState))
    }
    // A fault that cannot be applied has no effect, so the handler's change must be kept.
    if original.isUndeliverable || exchange.clientHasLeft { return .response(original) }
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
    return .job(.long, { { planned.damaged(original) } }) { damaged, _, _, _ in
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
      guard let operation = exchange.operation else { preconditionFailure("the route is that of an operation") }
      guard let sandbox = exchange.sandbox else { preconditionFailure("an operation has a sandbox") }
      let request = Requested(
        call: call(exchange, route, arguments, sandbox, at: now.real), route: route, operation: operation,
        sandbox: sandbox)
      guard exchange.has(.idempotencyKey) else { return conditional(&exchange, request, application, now) }
      return idempotent(&exchange, request, application, now)
    }
  }

  func call(
    _ exchange: borrowing Exchange, _ route: Router.Route, _ arguments: [String], _ sandbox: Sandbox, at now: Instant
  ) -> Call {
    Call(
      operation: route.operation, arguments: arguments,
      query: exchange.query, body: exchange.request.bytes[exchange.request.body],
      contentType: exchange.first(.contentType).map { exchange.request.bytes[$0.value] },
      base: exchange.address.base, now: sandbox.clock.now(at: now))
  }

  /// A requested operation.
  struct Requested {
    let call: Call
    let route: Router.Route
    let operation: Contract.Operation
    let sandbox: Sandbox
  }

  /// Returns the response stored under the request's `Idempotency-Key`, or creates and stores it.
  private func idempotent(
    _ exchange: inout Exchange, _ request: Requested, _ application: Application, _ now: ClockReading
  ) -> Performance {
    let key: Idempotency.Key
    do throws(Problem) {
      guard let found = try exchange.idempotencyKey() else {
        return conditional(&exchange, request, application, now)
      }
      key = found
    } catch {
      return .response(.problem(error))
    }
    let content = exchange.keyedContent
    guard content.isLong, request.sandbox.idempotency.comparesDigest(for: key, id: exchange.ordinal) else {
      return keyed(key, { content.digest }, &exchange, request, application, now)
    }
    return .job(.long, { { content.digest } }) { digest, exchange, application, now in
      keyed(key, { digest }, &exchange, request, application, now)
    }
  }

  /// Continues a request with a key, when the digest of its content is known.
  private func keyed(
    _ key: Idempotency.Key, _ digest: () -> KeyedContent.Digest, _ exchange: inout Exchange, _ request: Requested,
    _ application: Application, _ now: ClockReading
  ) -> Performance {
    let verdict = request.sandbox.idempotency.verdict(
      for: key, content: exchange.keyedContent, id: exchange.ordinal, digest: digest)
    switch verdict {
    case .replay(let response): return .response(response)
    case .mismatched: return .response(.problem(.mismatchedKey(key.text)))
    case .inFlight: return .response(.problem(.keyInFlight(key.text)))
    case .fresh:
      let content = digest()
      switch conditional(&exchange, request, application, now) {
      case .response(let response):
        request.sandbox.store(response, for: key, content: content)
        return .response(response)
      case .work(let work):
        return .work(
          work.then { [sandbox = request.sandbox] response, _, _, _ in
            sandbox.store(response, for: key, content: content)
            return .response(response)
          })
      }
    }
  }

  /// Evaluates `If-Match` and `If-None-Match`, after all other checks and before the content (RFC 9110 section 13.2.1).
  ///
  /// - Parameter attempt: The number of times that a write was evaluated too late.
  private func conditional(
    _ exchange: inout Exchange, _ request: Requested, _ application: Application, _ now: ClockReading,
    attempt: Int = 0
  ) -> Performance {
    let operation = request.operation
    let isConditional = exchange.has(.ifMatch) || exchange.has(.ifNoneMatch)
    guard isConditional, operation.evaluatesPreconditions || operation.canWrite else {
      let performance = carriedOut(&exchange, request, application, now, attempt: attempt)
      guard operation.servesRanges || operation.isStream else { return performance }
      switch performance {
      case .response(let response): return .response(continued(response, exchange, request))
      case .work(let work):
        return .work(work.then { response, exchange, _, _ in .response(continued(response, exchange, request)) })
      }
    }
    let preconditions = Preconditions(exchange.request)
    guard operation.canWrite else {
      switch carriedOut(&exchange, request, application, now, attempt: attempt) {
      case .response(let response): return .response(validated(response, by: preconditions, exchange, operation))
      case .work(let work):
        return .work(
          work.then { response, exchange, _, _ in
            .response(validated(response, by: preconditions, exchange, operation))
          })
      }
    }
    switch holds(preconditions, for: request, application) {
    case true?: return carriedOut(&exchange, request, application, now, attempt: attempt)
    case false?: return .response(failedPrecondition(of: operation, request.route, application))
    case nil: break
    }
    if case .proceed = preconditions.verdict(for: nil, isRetrieval: false) {
      return carriedOut(&exchange, request, application, now, attempt: attempt)
    }
    // The conditions of a request that would fail without them are not evaluated (RFC 9110 section 13.2.1).
    return read(request, from: request.sandbox.store, &exchange, application, now) { response in
      (200..<300).contains(response.status) ? .problem(.preconditionFailed) : response
    }
  }

  /// Returns the part of a response that the request asks for, or the stream that it begins.
  private func continued(_ response: Response, _ exchange: borrowing Exchange, _ request: Requested) -> Response {
    if request.operation.servesRanges { return ranged(response, of: exchange, request.operation) }
    guard !exchange.isControl, !request.sandbox.hasSource else { return response }
    return followed(response, of: exchange, request.call, request.route.api)
  }

  /// Returns the response to a read whose preconditions have been evaluated.
  private func validated(
    _ response: Response, by preconditions: Preconditions, _ exchange: borrowing Exchange,
    _ operation: Contract.Operation
  ) -> Response {
    guard response.status == 200 else { return response }
    switch preconditions.verdict(for: tag(of: response, operation), isRetrieval: true) {
    case .proceed: return ranged(response, of: exchange, operation)
    case .notModified:
      var unmodified = response
      unmodified.status = 304
      return unmodified
    case .failed:
      var failed = Response.problem(.preconditionFailed)
      failed.undeliverableReason = response.undeliverableReason
      return failed
    }
  }

  private func carriedOut(
    _ exchange: inout Exchange, _ request: Requested, _ application: Application, _ now: ClockReading, attempt: Int
  ) -> Performance {
    let (call, sandbox) = (request.call, request.sandbox)
    if exchange.isControl {
      return application.control.respond(to: call, for: exchange, in: sandbox, of: application)
    }
    // True for HEAD, too, if GET would change the state.
    let changesState = request.operation.changesState && request.operation.isWrite { call.query.has($0) }
    if sandbox.hasSource, let source = sandbox.source {
      return asked(source, &exchange, sandbox, changesState: changesState)
    }
    let versions = exchange.isPlanned ? exchange.plan.message.versionsAgo : 0
    guard versions > 0 else {
      return current(&exchange, request, application, now, changesState: changesState, attempt: attempt)
    }
    // A change is never made to an older state, because no client could read its result.
    let older = changesState ? .failure(.changesState) : sandbox.store(versionsAgo: versions)
    switch older {
    case .success(let older): return read(request, from: older, &exchange, application, now)
    case .failure(let reason):
      switch current(&exchange, request, application, now, changesState: changesState, attempt: attempt) {
      case .response(let response): return .response(response.undeliverable(reason))
      case .work(let work):
        return .work(work.then { response, _, _, _ in .response(response.undeliverable(reason)) })
      }
    }
  }

  private func current(
    _ exchange: inout Exchange, _ request: Requested, _ application: Application, _ now: ClockReading,
    changesState: Bool, attempt: Int
  ) -> Performance {
    let (call, api, sandbox) = (request.call, request.route.api, request.sandbox)
    // Three of the real services change state by GET; HEAD must not, so it acts on a copy.
    if exchange.isHead, changesState { return read(request, from: sandbox.store, &exchange, application, now) }
    // With a second reference to the state, a write would copy what it changes.
    if let response = sandbox.respondAtOnce(api: api, to: call, changesState: changesState) {
      return .response(response)
    }
    guard changesState else {
      return .job(request.lane, as: request.rendering) {
        let store = sandbox.store
        return { Evaluation(of: call, api: api, nil, on: store) }
      } then: { (evaluation: Evaluation, exchange, _, _) in
        exchange.shownVersion = evaluation.store.version
        // It is the same state, with the rendered bytes of this response.
        if evaluation.store.version == sandbox.store.version { sandbox.store = evaluation.store }
        return .response(evaluation.response)
      }
    }
    // A GET that writes has its arguments in the query, which is short.
    let operation = exchange.operation.flatMap { $0.method.isSafe ? nil : $0 }
    let prepare = {
      let store = sandbox.store
      return { @Sendable in Evaluation(of: call, api: api, operation, on: store) }
    }
    // Otherwise a state that changes again and again would delay the exchange forever.
    guard attempt < Performance.maximumEvaluations else {
      let evaluation = prepare()()
      exchange.meaning = evaluation.meaning
      return .response(sandbox.adopt(evaluation, api: api))
    }
    return .evaluation(request.lane, at: { sandbox.version }, prepare) { exchange, application, now in
      // Its preconditions are those on the new state.
      conditional(&exchange, request, application, now, attempt: attempt + 1)
    } then: { evaluation, exchange, _, _ in
      exchange.meaning = evaluation.meaning
      return .response(sandbox.adopt(evaluation, api: api))
    }
  }

  /// Returns the response of an operation on a state that it does not change. A long response shows the state at the
  /// time of the request.
  private func read(
    _ request: Requested, from store: Store, _ exchange: inout Exchange, _ application: Application,
    _ now: ClockReading, _ finished: @escaping @Sendable (Response) -> Response = { $0 }
  ) -> Performance {
    let (call, api) = (request.call, request.route.api)
    let body: @Sendable () -> Response = {
      var copy = store
      return finished(copy.respond(api: api, to: call))
    }
    return store.isLong(api: api, call) ? .rendering(request.lane) { body } : .response(body())
  }
}

extension Responder.Requested {
  /// The queue for its work.
  fileprivate var lane: Job.Lane { Job.Lane(bytes: call.body.count) }

  /// The identity of its response to a read, as of now.
  fileprivate var rendering: RenderingKey {
    RenderingKey(
      [operation.id, call.base] + call.arguments + call.query.pairs.flatMap { [$0.name, $0.value] }, of: sandbox,
      version: sandbox.version)
  }
}

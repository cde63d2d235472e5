import Contract
import Faults
import HTTP1
import Primitives
import Services

/// Answers an exchange from the state of its sandbox: idempotency, then preconditions, then the handler.
struct Responder {
  /// Returns the planned response, with its problem rendered and its representation chosen.
  func response(to exchange: inout Exchange, _ application: Application, at now: Instant) -> Response {
    guard exchange.isPlanned, exchange.plan.message.hasFault else {
      let response = response(of: &exchange, application, at: now)
      return response.hasProblem ? rendered(response, exchange, shape(exchange, application)) : response
    }
    let planned = PlannedResponse(plan: exchange.plan.message)
    var substitute = planned.substitute(at: now)
    if let status = substitute?.status { substitute?.fields += challenge(with: status, of: exchange, application) }
    let shape = shape(exchange, application)
    if let substitute, planned.plan.phase == .before { return rendered(substitute, exchange, shape) }
    let before = planned.actsOnCopy ? exchange.sandbox?.savepoint : nil
    let original = rendered(response(of: &exchange, application, at: now), exchange, shape)
    if exchange.offLoop?.pending != nil { return .pending }
    if var substitute {
      substitute.changed = original.changed
      return rendered(substitute, exchange, shape)
    }
    if planned.plan.versionsAgo > 0, exchange.operation == nil { return original.undeliverable(.showsNoState) }
    // A fault that cannot be applied has no effect, so the handler's change must be kept.
    if original.isUndeliverable { return original }
    if let obstacle = planned.obstacle(to: original, of: exchange.request) { return original.undeliverable(obstacle) }
    let damaged: Response?
    if planned.isLongToDamage(original) {
      let offLoop = application.offLoopWork(of: &exchange)
      guard let result = offLoop.value(.damage, { planned.damaged(original) }) else { return .pending }
      damaged = result
    } else {
      damaged = planned.damaged(original)
    }
    guard var response = damaged else { return original.undeliverable(.unsuitedContent) }
    if let before {
      exchange.sandbox?.savepoint = before
      response.changed = false
    }
    return response
  }

  /// Returns the fields that RFC 9110 requires with a status, besides those of every response.
  private func challenge(with status: Int, of exchange: borrowing Exchange, _ application: Application)
    -> [ResponseField]
  {
    switch status {
    case 401: [ResponseField("WWW-Authenticate", AccessControl.challenge)]
    case 405:
      [ResponseField("Allow", application.router.otherMethods(than: exchange.method, at: exchange.target))]
    case 407: [ResponseField("Proxy-Authenticate", AccessControl.challenge)]
    case 426: [ResponseField("Upgrade", "HTTP/1.1")]
    default: []
    }
  }

  func shape(_ exchange: borrowing Exchange, _ application: Application) -> API.ErrorShape {
    exchange.api.map { application.router.shape(ofErrorsOf: $0) } ?? .problem
  }

  private func response(of exchange: inout Exchange, _ application: Application, at now: Instant) -> Response {
    if let refusal = refusal(of: exchange, application, hasContent: !exchange.request.body.isEmpty) { return refusal }
    switch exchange.target {
    case .immediate(let response, _): return response
    case .operation(let route, let arguments):
      guard let operation = exchange.operation else { preconditionFailure("the route is that of an operation") }
      guard let sandbox = exchange.sandbox else { preconditionFailure("an operation has a sandbox") }
      let call = call(exchange, route, arguments, sandbox, at: now)
      guard exchange.has(.idempotencyKey) else {
        return conditional(&exchange, call, route, operation, sandbox, application)
      }
      return idempotent(&exchange, call, route, operation, sandbox, application)
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

  /// Returns the response stored under the request's `Idempotency-Key`, or creates and stores it.
  private func idempotent(
    _ exchange: inout Exchange, _ call: Call, _ route: Router.Route, _ operation: Contract.Operation,
    _ sandbox: Sandbox, _ application: Application
  ) -> Response {
    let key: Idempotency.Key
    do throws(Problem) {
      guard let found = try exchange.idempotencyKey() else {
        return conditional(&exchange, call, route, operation, sandbox, application)
      }
      key = found
    } catch {
      return .problem(error)
    }
    let body = exchange.keyedContent
    let verdict = sandbox.idempotency.verdict(for: key, body: body, id: exchange.ordinal) {
      digest(of: body, &exchange, application)
    }
    switch verdict {
    case nil: return .pending
    case .replay(let response): return response
    case .mismatched: return .problem(.mismatchedKey(key.text))
    case .inFlight: return .problem(.keyInFlight(key.text))
    case .fresh:
      guard let digest = digest(of: body, &exchange, application) else { return .pending }
      let response = conditional(&exchange, call, route, operation, sandbox, application)
      guard exchange.offLoop?.pending == nil else { return response }
      sandbox.store(response, for: key, body: digest)
      return response
    }
  }

  /// Returns the digest of a body; nil if it is not computed yet, and is now the pending work.
  private func digest(of body: ArraySlice<UInt8>, _ exchange: inout Exchange, _ application: Application) -> Idempotency
    .Body?
  {
    guard body.count > Idempotency.Body.maximumCountOnLoop else { return Idempotency.Body(body) }
    return application.offLoopWork(of: &exchange).value(.digest) { Idempotency.Body(body) }
  }

  /// Evaluates `If-Match` and `If-None-Match`, after all other checks and before the content (RFC 9110 section 13.2.1).
  private func conditional(
    _ exchange: inout Exchange, _ call: Call, _ route: Router.Route, _ operation: Contract.Operation,
    _ sandbox: Sandbox, _ application: Application
  ) -> Response {
    let isConditional = exchange.has(.ifMatch) || exchange.has(.ifNoneMatch)
    guard isConditional, operation.evaluatesPreconditions || operation.canWrite else {
      let response = carriedOut(&exchange, call, route, operation, sandbox, application)
      if operation.servesRanges { return ranged(response, of: exchange, operation) }
      guard operation.isStream, !exchange.isControl, !sandbox.hasSource else { return response }
      return followed(response, of: exchange, call, route.api)
    }
    let preconditions = Preconditions(exchange.request)
    if !operation.canWrite {
      let response = carriedOut(&exchange, call, route, operation, sandbox, application)
      guard response.status == 200 else { return response }
      let tag = tag(of: response, operation)
      switch preconditions.verdict(for: tag, isRetrieval: true) {
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
    switch holds(preconditions, for: operation, call, route, sandbox, application) {
    case true?: return carriedOut(&exchange, call, route, operation, sandbox, application)
    case false?: return failedPrecondition(of: operation, route, application)
    case nil: break
    }
    let before = sandbox.savepoint
    let response = carriedOut(&exchange, call, route, operation, sandbox, application)
    guard (200..<300).contains(response.status) else { return response }
    guard case .proceed = preconditions.verdict(for: nil, isRetrieval: false) else {
      sandbox.savepoint = before
      return .problem(.preconditionFailed)
    }
    return response
  }

  private func carriedOut(
    _ exchange: inout Exchange, _ call: Call, _ route: Router.Route, _ operation: Contract.Operation,
    _ sandbox: Sandbox, _ application: Application
  ) -> Response {
    if exchange.isControl {
      let offLoop = application.offLoopWork(of: &exchange)
      return application.control.respond(to: call, for: exchange, offLoop, in: sandbox, of: application)
    }
    // True for HEAD, too, if GET would change the state.
    let changesState = operation.changesState && operation.isWrite { call.query.has($0) }
    if sandbox.hasSource, let source = sandbox.source {
      return asked(source, call, route, &exchange, sandbox, application, changesState: changesState)
    }
    let versions = exchange.isPlanned ? exchange.plan.message.versionsAgo : 0
    guard versions > 0 else {
      return current(&exchange, call, route, sandbox, application, changesState: changesState)
    }
    // A change is never made to an older state, because no client could read its result.
    let older = changesState ? .failure(.changesState) : sandbox.store(versionsAgo: versions)
    switch older {
    case .success(let older): return read(call, route, from: older, &exchange, application)
    case .failure(let reason):
      return current(&exchange, call, route, sandbox, application, changesState: changesState).undeliverable(reason)
    }
  }

  private func current(
    _ exchange: inout Exchange, _ call: Call, _ route: Router.Route, _ sandbox: Sandbox, _ application: Application,
    changesState: Bool
  ) -> Response {
    // Three of the real services change state by GET; HEAD must not, so it acts on a copy.
    if exchange.isHead, changesState { return read(call, route, from: sandbox.store, &exchange, application) }
    // With a second reference to the state, a write would copy what it changes.
    if let response = sandbox.respondAtOnce(api: route.api, to: call, changesState: changesState) { return response }
    let (store, offLoop) = (sandbox.store, application.offLoopWork(of: &exchange))
    guard changesState else {
      let evaluation = offLoop.value(.rendering) { Evaluation(of: call, api: route.api, nil, on: store) }
      guard let evaluation else { return .pending }
      offLoop.shownVersion = evaluation.store.version
      // It is the same state, with the rendered bytes of this response.
      if evaluation.store.version == store.version { sandbox.store = evaluation.store }
      return evaluation.response
    }
    // A GET that writes has its arguments in the query, which is short.
    let operation = exchange.operation.flatMap { $0.method.isSafe ? nil : $0 }
    let evaluation = offLoop.value(at: store.version) {
      Evaluation(of: call, api: route.api, operation, on: store)
    }
    guard let evaluation else { return .pending }
    offLoop.meaning = evaluation.meaning
    return sandbox.adopt(evaluation, api: route.api)
  }

  /// Returns the response of an operation on a state that it does not change. A long response shows the state at the
  /// time of the request.
  private func read(
    _ call: Call, _ route: Router.Route, from store: Store, _ exchange: inout Exchange, _ application: Application
  ) -> Response {
    guard store.isLong(api: route.api, call) else {
      var copy = store
      return copy.respond(api: route.api, to: call)
    }
    let response = application.offLoopWork(of: &exchange).value(.rendering) {
      var copy = store
      return copy.respond(api: route.api, to: call)
    }
    return response ?? .pending
  }
}

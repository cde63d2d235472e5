import Contract
import HTTP1
import Primitives
import Services

/// The preconditions around a source: `If-Match` and `If-None-Match`, after all other checks (RFC 9110 section 13.2.1). Those
/// of a write are evaluated before it is carried out, those of a read by the tag of its response.
struct Conditions<Inner: Source>: Source {
  private let inner: Inner

  init(_ inner: Inner) { self.inner = inner }

  func expectation(of request: Requested, _ exchange: borrowing Exchange, _ application: Application)
    -> Responder.Expectation
  {
    if request.operation.canWrite, holds(Preconditions(exchange.request), for: request, application) == false {
      return .refused(failed(request, application))
    }
    return inner.expectation(of: request, exchange, application)
  }

  func response(
    to request: Requested, _ exchange: inout Exchange, _ application: Application, _ now: ClockReading
  ) -> Performance {
    let operation = request.operation
    let isConditional = exchange.has(.ifMatch) || exchange.has(.ifNoneMatch)
    guard isConditional, operation.caching.evaluatesPreconditions || operation.canWrite else {
      return inner.response(to: request, &exchange, application, now)
    }
    let preconditions = Preconditions(exchange.request)
    guard operation.canWrite else {
      return inner.response(to: request, &exchange, application, now)
        .then(
          { response, _, _, _ in .response(validated(response, by: preconditions, operation)) }, for: &exchange,
          application, at: now)
    }
    switch holds(preconditions, for: request, application) {
    case true?: return inner.response(to: request, &exchange, application, now)
    case false?: return .response(failed(request, application))
    case nil: break
    }
    if case .proceed = preconditions.result(for: nil, isRetrieval: false) {
      return inner.response(to: request, &exchange, application, now)
    }
    // The conditions of a request that would fail without them are not evaluated (RFC 9110 section 13.2.1).
    return request.read(from: request.sandbox.state.store) { response in
      (200..<300).contains(response.status) ? .problem(.preconditionFailed) : response
    }
  }

  /// Returns the response to a read whose preconditions have been evaluated.
  private func validated(
    _ response: Response, by preconditions: Preconditions, _ operation: Contract.Operation
  ) -> Response {
    guard response.status == 200 else { return response }
    switch preconditions.result(for: tag(of: response, operation), isRetrieval: true) {
    case .proceed: return response
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

  /// Returns true if the preconditions of an operation that acts are met; nil if the target has no representation, so
  /// that this depends on the success of the request without them.
  private func holds(_ preconditions: Preconditions, for request: Requested, _ application: Application) -> Bool? {
    if preconditions.isEmpty || request.operation.onlyRefuses { return true }
    guard hasTag(request, application) else {
      return preconditions.ifMatch.map { $0 == .any && hasRepresentation(request.route, application) } ?? true
    }
    return currentTag(request, application).map { current in
      if case .proceed = preconditions.result(for: current, isRetrieval: false) { true } else { false }
    }
  }

  private func tag(of response: Response, _ operation: Contract.Operation) -> EntityTag? {
    guard operation.caching.validator != .none, let tag = response.representation?.tag else { return nil }
    return EntityTag(hash: tag.hash, isWeak: operation.caching.validator == .weak)
  }

  /// Returns the response to a request whose preconditions are not met.
  private func failed(_ request: Requested, _ application: Application) -> Response {
    .problem(hasTag(request, application) ? .preconditionFailed : .noEntityTag)
  }

  /// Returns true if GET shows a tag of the resource that the operation changes.
  private func hasTag(_ request: Requested, _ application: Application) -> Bool {
    guard request.operation.caching.evaluatesPreconditions,
      let retrieval = application.router.retrieval(besides: request.route)
    else { return false }
    return application.router.operation(retrieval).caching.validator != .none
  }

  /// Returns true if GET shows the state of the resource that the operation changes; `*` in `If-Match` requires that
  /// (RFC 9110 section 13.1.1). A GET that acts shows its result instead.
  private func hasRepresentation(_ route: Router.Route, _ application: Application) -> Bool {
    application.router.retrieval(besides: route).map { !application.router.operation($0).canWrite } ?? false
  }

  /// Returns the current tag of the target, as GET would show it.
  private func currentTag(_ request: Requested, _ application: Application) -> EntityTag? {
    guard let retrieval = application.router.retrieval(besides: request.route) else { return nil }
    let call = Call(
      operation: retrieval.operation, arguments: request.call.arguments, contentType: request.call.contentType,
      base: request.call.base, now: request.call.now)
    let response = request.sandbox.state.store.respond(api: retrieval.api, to: call)
    return tag(of: response, application.router.operation(retrieval))
  }
}

extension Preconditions {
  fileprivate init(_ request: borrowing Request) {
    self.init(
      ifMatch: Self.condition(request, .ifMatch), ifNoneMatch: Self.condition(request, .ifNoneMatch))
  }

  private static func condition(_ request: borrowing Request, _ name: FieldName) -> EntityTagCondition? {
    request.combined(name).map { EntityTagCondition(parsing: $0) }
  }
}

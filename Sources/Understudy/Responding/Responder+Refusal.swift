import Contract
import Faults
import HTTP1
import Primitives
import Services

/// Decisions about a request that do not depend on its content.
extension Responder {
  /// Returns a problem of the server in the error shape of the API, in the planned coding.
  ///
  /// - Parameter reason: The reason for which a planned fault in the content cannot be applied.
  func refusal(
    _ problem: Problem, _ reason: UndeliverableReason, of exchange: borrowing Exchange, _ application: Application
  ) -> Response {
    let response = rendered(.problem(problem.ofServer), exchange, shape(exchange, application))
    let planned = PlannedResponse(plan: exchange.plan.message)
    if planned.plan.status != nil || planned.plan.damage != nil { return response.undeliverable(reason) }
    if let obstacle = planned.obstacle(to: response, of: exchange.request) { return response.undeliverable(obstacle) }
    guard planned.plan.coding != nil else { return response }
    return planned.damaged(response) ?? response.undeliverable(.unsuitedContent)
  }

  /// The outcome of a request with `Expect: 100-continue`, as far as its head determines it.
  enum Expectation {
    /// The response depends on the content, so the client must send it.
    case content
    /// The response does not depend on the content.
    case final
    /// The request is refused whatever its content.
    case refused(Response)
  }

  /// Returns the outcome that method, target and fields determine before any content is read (RFC 9110 section 10.1.1).
  func expectation(of exchange: borrowing Exchange, _ application: Application, at now: Instant) -> Expectation {
    if let refusal = refusal(of: exchange, application, hasContent: true) { return .refused(refusal) }
    switch exchange.target {
    case .immediate(let response, _): return response.status >= 400 ? .refused(response) : .final
    case .operation(let route, let arguments):
      guard let sandbox = exchange.sandbox, !exchange.isForwarded else { return .content }
      let operation = application.router.operation(route)
      // A key stands for the content, too, even if the operation ignores it.
      let isContentRead =
        operation.documentation.body != nil || exchange.has(.idempotencyKey) && !operation.method.isSafe
      do throws(Problem) {
        if let key = try exchange.idempotencyKey(), sandbox.state.idempotency.knows(key) {
          return isContentRead ? .content : .final
        }
      } catch {
        return .refused(.problem(error))
      }
      if operation.canWrite {
        let call = call(exchange, route, arguments, sandbox, at: now)
        let request = Requested(call: call, route: route, operation: operation, sandbox: sandbox)
        let holds = holds(Preconditions(exchange.request), for: request, application)
        if holds == false { return .refused(failedPrecondition(of: operation, route, application)) }
      }
      return isContentRead ? .content : .final
    }
  }

  /// Returns the refusal that depends on neither state nor content. Access is checked first, because a refusal must not
  /// reveal which sandboxes exist.
  // Inlined, because most requests are not refused, and would move an empty response.
  @inline(__always)
  func refusal(of exchange: borrowing Exchange, _ application: Application, hasContent: Bool) -> Response? {
    if exchange.isIncomplete { return exchange.refusal }
    if exchange.isControl,
      let refusal = application.gate.refusal(for: exchange.request, exchange.operation, at: exchange.link.port)
    {
      return refusal
    }
    if let refusal = exchange.refusal { return refusal }
    // The content is the backend's to accept or to refuse.
    if exchange.isForwarded { return application.upstream?.refusal(of: exchange.request) }
    return exchange.operation.flatMap { ContentPolicy.refusal(for: exchange.request, $0, hasContent: hasContent) }
  }

  /// Returns true if the preconditions of an operation that acts are met; nil if the target has no representation, so
  /// that this depends on the success of the request without them.
  func holds(_ preconditions: Preconditions, for request: Requested, _ application: Application) -> Bool? {
    let (operation, sandbox) = (request.operation, request.sandbox)
    // A backend evaluates the preconditions of its own resources.
    if preconditions.isEmpty || operation.onlyRefuses || application.upstream != nil { return true }
    guard hasTag(operation, request.route, application) else {
      return preconditions.ifMatch.map { $0 == .any && hasRepresentation(request.route, application) } ?? true
    }
    return currentTag(request.call, request.route, sandbox, application).map { current in
      if case .proceed = preconditions.verdict(for: current, isRetrieval: false) { true } else { false }
    }
  }

  func tag(of response: Response, _ operation: Contract.Operation) -> EntityTag? {
    guard operation.caching.validator != .none, let tag = response.representation?.tag else { return nil }
    return EntityTag(hash: tag.hash, isWeak: operation.caching.validator == .weak)
  }

  /// Returns the response to a request whose preconditions are not met.
  func failedPrecondition(of operation: Contract.Operation, _ route: Router.Route, _ application: Application)
    -> Response
  {
    .problem(hasTag(operation, route, application) ? .preconditionFailed : .noEntityTag)
  }

  /// Returns true if GET shows a tag of the resource that the operation changes.
  private func hasTag(_ operation: Contract.Operation, _ route: Router.Route, _ application: Application) -> Bool {
    let retrieval = operation.caching.evaluatesPreconditions ? application.router.retrieval(besides: route) : nil
    return retrieval.map { application.router.operation($0).caching.validator != .none } ?? false
  }

  /// Returns true if GET shows the state of the resource that the operation changes; `*` in `If-Match` requires that
  /// (RFC 9110 section 13.1.1). A GET that acts shows its result instead.
  private func hasRepresentation(_ route: Router.Route, _ application: Application) -> Bool {
    application.router.retrieval(besides: route).map { !application.router.operation($0).canWrite } ?? false
  }

  /// Returns the current tag of the target, as GET would show it.
  private func currentTag(_ call: Call, _ route: Router.Route, _ sandbox: Sandbox, _ application: Application)
    -> EntityTag?
  {
    guard let retrieval = application.router.retrieval(besides: route) else { return nil }
    let operation = application.router.operation(retrieval)
    let retrievalCall = Call(
      operation: retrieval.operation, arguments: call.arguments, contentType: call.contentType, base: call.base,
      now: call.now)
    return tag(of: sandbox.state.store.respond(api: retrieval.api, to: retrievalCall), operation)
  }
}

extension Preconditions {
  init(_ request: borrowing Request) {
    self.init(
      ifMatch: Self.condition(request, .ifMatch), ifNoneMatch: Self.condition(request, .ifNoneMatch))
  }

  private static func condition(_ request: borrowing Request, _ name: FieldName) -> EntityTagCondition? {
    request.combined(name).map { EntityTagCondition(parsing: $0) }
  }
}

import Contract
import HTTP1

/// The decisions about a request that need none of its content.
extension Responder {
  /// A problem of the server's, worded for the API's clients.
  func refusal(_ problem: Problem, of exchange: borrowing Exchange, _ backend: Backend) -> Reply {
    worded(.problem(problem.ofServer), exchange, shape(exchange, backend))
  }

  /// The refusal that method, target and fields decide before any content is read (RFC 9110 section 10.1.1).
  func refusalBeforeContent(of exchange: borrowing Exchange, _ backend: Backend) -> Reply? {
    if let refusal = refusal(of: exchange, backend, hasContent: true) { return refusal }
    switch exchange.target {
    case .settled(let reply, _): return reply.status >= 400 ? reply : nil
    case .operation(let route, let arguments):
      guard let sandbox = exchange.sandbox else { return nil }
      do throws(Problem) {
        if let key = try exchange.idempotencyKey(), sandbox.idempotency.knows(key) { return nil }
      } catch {
        return .problem(error)
      }
      let operation = backend.addresses.operation(route)
      guard operation.canWrite else { return nil }
      let call = call(exchange, route, arguments, sandbox, at: backend.realTime)
      let holds = holds(Preconditions(exchange.request), for: operation, call, route, sandbox, backend)
      let problem = hasTag(operation, route, backend) ? Problem.preconditionFailed : .noEntityTag
      return holds == false ? .problem(problem) : nil
    }
  }

  /// The refusal that needs neither the state nor the content. Access goes first: it must not tell which sandboxes exist.
  func refusal(of exchange: borrowing Exchange, _ backend: Backend, hasContent: Bool) -> Reply? {
    if exchange.isIncomplete { return exchange.refusal }
    if exchange.api == backend.addresses.controlPlace,
      let refusal = backend.gate.refusal(for: exchange.request, exchange.operation)
    {
      return refusal
    }
    if let refusal = exchange.refusal { return refusal }
    return exchange.operation.flatMap { ContentGate.refusal(for: exchange.request, $0, hasContent: hasContent) }
  }

  /// Whether preconditions hold for an operation that acts; nil where nothing stands at the target, and it depends on
  /// whether the request would succeed without them.
  func holds(
    _ preconditions: Preconditions, for operation: Contract.Operation, _ call: Call, _ route: Router.Route,
    _ sandbox: Sandbox, _ backend: Backend
  ) -> Bool? {
    if preconditions.isEmpty || operation.onlyRefuses { return true }
    guard hasTag(operation, route, backend) else {
      return preconditions.ifMatch.map { $0 == .any && hasRepresentation(route, backend) } ?? true
    }
    return currentTag(call, route, sandbox, backend).map { current in
      if case .proceed = preconditions.verdict(for: current, isRetrieval: false) { true } else { false }
    }
  }

  func tag(of reply: Reply, _ operation: Contract.Operation) -> EntityTag? {
    guard operation.validator != .none, let tag = reply.representation?.tag else { return nil }
    return EntityTag(hash: tag.hash, isWeak: operation.validator == .weak)
  }

  /// True if GET shows a tag for what the operation changes.
  func hasTag(_ operation: Contract.Operation, _ route: Router.Route, _ backend: Backend) -> Bool {
    let retrieval = operation.heedsPreconditions ? backend.addresses.retrieval(besides: route) : nil
    return retrieval.map { backend.addresses.operation($0).validator != .none } ?? false
  }

  /// True if GET shows the state of what the operation changes; `*` in `If-Match` asks for that (RFC 9110 section 13.1.1).
  /// A GET that acts shows what it did.
  private func hasRepresentation(_ route: Router.Route, _ backend: Backend) -> Bool {
    backend.addresses.retrieval(besides: route).map { !backend.addresses.operation($0).canWrite } ?? false
  }

  /// The tag that GET would show for the target now.
  private func currentTag(_ call: Call, _ route: Router.Route, _ sandbox: Sandbox, _ backend: Backend) -> EntityTag? {
    guard let retrieval = backend.addresses.retrieval(besides: route) else { return nil }
    let operation = backend.addresses.operation(retrieval)
    var call = call
    call.operation = retrieval.operation
    call.query = Query()
    call.body = []
    return tag(of: sandbox.store.respond(api: retrieval.api, to: call), operation)
  }
}

extension Preconditions {
  init(_ request: Request) {
    self.init(
      ifMatch: Self.condition(request, .ifMatch), ifNoneMatch: Self.condition(request, .ifNoneMatch))
  }

  private static func condition(_ request: Request, _ name: FieldName) -> EntityTagCondition? {
    guard request.first(name) != nil else { return nil }
    let text = request.values(of: name).map { request.text($0) }.joined(separator: ", ")
    return EntityTagCondition(parsing: text)
  }
}

import Contract
import Faults
import HTTP1

/// Answers an exchange from the state of its sandbox: idempotency, then preconditions, then the handler.
struct Responder {
  init() {}

  /// The reply, its problem worded and its body chosen, as the plan wants it.
  func reply(to exchange: Exchange, _ backend: Backend) -> Reply {
    let (request, now) = (exchange.request, backend.realTime)
    let planned = PlannedReply(plan: exchange.plan)
    let substitute = planned.substitute(at: now)
    // An injected failure says that it is one, which an empty object could not.
    let shape = shape(exchange, backend) == .emptyObject ? .problem : shape(exchange, backend)
    if let substitute, exchange.plan.phase == .before { return worded(substitute, exchange, shape) }
    let before = planned.actsOnCopy ? exchange.sandbox?.moment : nil
    let sound = worded(reply(of: exchange, request, backend, at: now), exchange, self.shape(exchange, backend))
    if var substitute {
      substitute.changed = sound.changed
      return worded(substitute, exchange, shape)
    }
    // What cannot bite does nothing at all: what the reply says was done is to last.
    guard planned.canHarm(sound, of: request), var reply = planned.damaged(sound) else {
      return sound.undeliverable
    }
    if let before {
      exchange.sandbox?.moment = before
      reply.changed = false
    }
    return reply
  }

  /// A problem that is none of the API's, worded for its clients: an empty object would not say what is wrong.
  func refusal(_ problem: Problem, of exchange: Exchange, _ backend: Backend) -> Reply {
    let shape = shape(exchange, backend)
    return worded(.problem(problem), exchange, shape == .emptyObject ? .problem : shape)
  }

  private func shape(_ exchange: Exchange, _ backend: Backend) -> API.ErrorShape {
    exchange.api.map { backend.addresses.apis[$0].errors } ?? .problem
  }

  private func reply(of exchange: Exchange, _ request: Request, _ backend: Backend, at now: Instant) -> Reply {
    switch exchange.target {
    case .settled(let reply, _): return reply
    case .operation(let route, let arguments):
      let operation = backend.addresses.operation(route)
      if let refusal = backend.gate.refusal(for: request, operation) { return refusal }
      if let refusal = ContentGate.refusal(for: request, operation) { return refusal }
      guard let sandbox = exchange.sandbox else { preconditionFailure("an operation has a sandbox") }
      let call = Call(
        operation: route.operation, arguments: arguments,
        query: request.query.map { Query(parsing: request.bytes[$0]) } ?? Query(),
        body: request.bytes[request.body],
        contentType: request.first(.contentType).map { request.text($0.value) },
        origin: exchange.origin, prefix: exchange.prefix, now: sandbox.clock.now(at: now))
      return idempotent(exchange, request, call, route, sandbox, backend)
    }
  }

  /// Finds the reply that was stored under the request's `Idempotency-Key`, or makes it and stores it.
  private func idempotent(
    _ exchange: Exchange, _ request: Request, _ call: Call, _ route: Router.Route, _ sandbox: Sandbox,
    _ backend: Backend
  ) -> Reply {
    let key: Idempotency.Key
    do throws(Problem) {
      guard let found = try exchange.idempotencyKey() else {
        return conditional(exchange, request, call, route, sandbox, backend)
      }
      key = found
    } catch {
      return .problem(error)
    }
    switch sandbox.idempotency.verdict(for: key, body: call.body, id: exchange.id) {
    case .replay(let reply): return reply
    case .mismatched: return .problem(.mismatchedKey(key.text))
    case .inFlight: return .problem(.keyInFlight(key.text))
    case .fresh:
      let reply = conditional(exchange, request, call, route, sandbox, backend)
      sandbox.keep(reply, for: key, body: call.body)
      return reply
    }
  }

  /// Heeds `If-Match` and `If-None-Match` (RFC 9110 section 13.2): only a request that would succeed is held to them.
  private func conditional(
    _ exchange: Exchange, _ request: Request, _ call: Call, _ route: Router.Route, _ sandbox: Sandbox,
    _ backend: Backend
  ) -> Reply {
    let operation = backend.addresses.operation(route)
    let preconditions = operation.heedsPreconditions ? Preconditions(request) : Preconditions()
    if preconditions.isEmpty { return carriedOut(exchange, call, route, sandbox, backend) }
    if operation.method == .get {
      let reply = carriedOut(exchange, call, route, sandbox, backend)
      guard reply.status == 200 else { return reply }
      let tag = tag(of: reply, operation)
      switch preconditions.verdict(for: tag, isRetrieval: true) {
      case .proceed: return reply
      case .notModified:
        var unmodified = reply
        unmodified.status = 304
        return unmodified
      case .failed: return .problem(.preconditionFailed)
      }
    }
    let before = sandbox.moment
    let current = currentTag(call, route, sandbox, backend)
    let reply = carriedOut(exchange, call, route, sandbox, backend)
    guard (200..<300).contains(reply.status) else { return reply }
    guard case .proceed = preconditions.verdict(for: current, isRetrieval: false) else {
      sandbox.moment = before
      return .problem(.preconditionFailed)
    }
    return reply
  }

  private func tag(of reply: Reply, _ operation: Contract.Operation) -> EntityTag? {
    guard operation.validator != .none, let tag = reply.representation?.tag else { return nil }
    return EntityTag(hash: tag.hash, isWeak: operation.validator == .weak)
  }

  /// The tag that GET would show for the target now.
  private func currentTag(_ call: Call, _ route: Router.Route, _ sandbox: Sandbox, _ backend: Backend) -> EntityTag? {
    guard let retrieval = backend.addresses.retrieval(besides: route) else { return nil }
    let operation = backend.addresses.operation(retrieval)
    guard operation.validator != .none, route.api != backend.addresses.controlPlace else { return nil }
    var call = call
    call.operation = retrieval.operation
    call.query = Query()
    call.body = []
    return tag(of: sandbox.store.respond(api: retrieval.api, to: call), operation)
  }

  private func carriedOut(
    _ exchange: Exchange, _ call: Call, _ route: Router.Route, _ sandbox: Sandbox, _ backend: Backend
  ) -> Reply {
    if route.api == backend.addresses.controlPlace {
      return backend.control.respond(to: call, for: exchange, in: sandbox, of: backend)
    }
    let changesState = backend.addresses.operation(route).changesState
    guard case .stale(let versions) = exchange.plan.damage else {
      return current(exchange, call, route, sandbox, changesState: changesState)
    }
    // A change cannot be made to an older state, since nobody could read it afterwards.
    guard !changesState, var older = sandbox.store(versionsAgo: versions) else {
      return current(exchange, call, route, sandbox, changesState: changesState).undeliverable
    }
    return older.respond(api: route.api, to: call)
  }

  private func current(
    _ exchange: Exchange, _ call: Call, _ route: Router.Route, _ sandbox: Sandbox, changesState: Bool
  ) -> Reply {
    guard exchange.isHead, changesState else { return sandbox.respond(api: route.api, to: call) }
    // Two upstream services change state by GET; HEAD must not, so it acts on a copy.
    var copy = sandbox.store
    return copy.respond(api: route.api, to: call)
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

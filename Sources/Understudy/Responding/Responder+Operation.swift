import Contract
import Faults
import HTTP1
import Primitives
import Services

/// The call of an operation.
extension Responder {
  /// A requested operation.
  struct Requested {
    let call: Call
    let route: Router.Route
    let operation: Contract.Operation
    let sandbox: Sandbox
  }

  func carriedOut(
    _ exchange: inout Exchange, _ request: Requested, _ application: Application, _ now: ClockReading, attempt: Int
  ) -> Performance {
    let sandbox = request.sandbox
    if exchange.isControl {
      return application.control.respond(to: request.call, for: exchange, in: sandbox, of: application)
    }
    // True for HEAD, too, if GET would change the state.
    let changesState =
      request.operation.semantics.changesState && request.operation.isWrite { request.call.query.has($0) }
    if exchange.isForwarded, let upstream = application.upstream {
      return asked(upstream, &exchange, sandbox, application, changesState: changesState)
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
      return current(&exchange, request, application, now, changesState: changesState, attempt: attempt)
        .then({ response, _, _, _ in .response(response.undeliverable(reason)) }, for: &exchange, application, at: now)
    }
  }

  private func current(
    _ exchange: inout Exchange, _ request: Requested, _ application: Application, _ now: ClockReading,
    changesState: Bool, attempt: Int
  ) -> Performance {
    let (api, sandbox) = (request.route.api, request.sandbox)
    // Three of the real services change state by GET; HEAD must not, so it acts on a copy.
    if exchange.isHead, changesState { return read(request, from: sandbox.state.store, &exchange, application, now) }
    // With a second reference to the state, a write would copy what it changes.
    if let response = sandbox.respondAtOnce(api: api, to: request.call, changesState: changesState) {
      return .response(response)
    }
    let call = request.call
    guard changesState else {
      return .job(request.lane, as: request.rendering) {
        let store = sandbox.state.store
        return { Evaluation(of: call, api: api, nil, on: store) }
      } then: { (evaluation: Evaluation, exchange, _, _) in
        exchange.shownVersion = evaluation.store.version
        // It is the same state, with the rendered bytes of this response.
        if evaluation.store.version == sandbox.state.store.version { sandbox.state.store = evaluation.store }
        return .response(evaluation.response)
      }
    }
    // A GET that writes has its arguments in the query, which is short.
    let operation = exchange.operation.flatMap { $0.method.isSafe ? nil : $0 }
    let prepare = {
      let store = sandbox.state.store
      return { @Sendable in Evaluation(of: call, api: api, operation, on: store) }
    }
    // Otherwise a state that changes again and again would delay the exchange forever.
    guard attempt < Performance.maximumEvaluations else {
      let evaluation = prepare()()
      exchange.meaning = evaluation.meaning
      return .response(sandbox.adopt(evaluation, api: api))
    }
    return .evaluation(request.lane, at: { sandbox.facts.version }, prepare) { exchange, application, now in
      // Its preconditions are those on the new state.
      conditional(&exchange, request, application, now, attempt: attempt + 1)
    } then: { evaluation, exchange, _, _ in
      exchange.meaning = evaluation.meaning
      return .response(sandbox.adopt(evaluation, api: api))
    }
  }

  /// Returns the response of an operation on a state that it does not change. A long response shows the state at the
  /// time of the request.
  func read(
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
  fileprivate var lane: Job.Lane { call.query.isLong ? .long : Job.Lane(bytes: call.body.count) }

  /// The identity of its response to a read, as of now.
  fileprivate var rendering: RenderingKey {
    RenderingKey(
      [operation.id, call.base] + call.arguments + call.query.pairs.flatMap { [$0.name, $0.value] }, of: sandbox,
      version: sandbox.facts.version)
  }
}

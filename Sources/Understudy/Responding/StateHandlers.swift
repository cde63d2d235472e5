import Contract
import Faults
import HTTP1
import Primitives
import Services

/// The handlers of the five APIs, on the state of a request's sandbox.
struct StateHandlers: Source {
  func response(
    to request: Requested, _ exchange: inout Exchange, _ application: Application, _ now: ClockReading
  ) -> Performance {
    let performance = shown(request, &exchange, application, now)
    guard request.operation.semantics.isStream else { return performance }
    return performance.then(
      { response, exchange, _, _ in .response(followed(response, of: exchange, request.call, request.route.api)) },
      for: &exchange, application, at: now)
  }

  /// Returns the response of the version of the state that the plan shows.
  private func shown(
    _ request: Requested, _ exchange: inout Exchange, _ application: Application, _ now: ClockReading
  ) -> Performance {
    let versions = exchange.isPlanned ? exchange.plan.versionsAgo : 0
    guard versions > 0 else { return current(request, &exchange) }
    // A change is never made to an older state, because no client could read its result.
    let older = request.changesState ? .failure(.changesState) : request.sandbox.store(versionsAgo: versions)
    switch older {
    case .success(let older): return request.read(from: older)
    case .failure(let reason):
      return current(request, &exchange)
        .then({ response, _, _, _ in .response(response.undeliverable(reason)) }, for: &exchange, application, at: now)
    }
  }

  private func current(_ request: Requested, _ exchange: inout Exchange) -> Performance {
    let (call, api, sandbox, changesState) = (request.call, request.route.api, request.sandbox, request.changesState)
    // Three of the real services change state by GET; HEAD must not, so it acts on a copy.
    if exchange.isHead, changesState { return request.read(from: sandbox.state.store) }
    // With a second reference to the state, a write would copy what it changes.
    if let response = sandbox.respondAtOnce(api: api, to: call, changesState: changesState) {
      return .response(response)
    }
    guard changesState else {
      return .job(.worker, as: request.rendering) {
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
    guard request.attempt < Performance.maximumEvaluations else {
      let evaluation = prepare()()
      exchange.meaning = evaluation.meaning
      return .response(sandbox.adopt(evaluation, api: api))
    }
    return .evaluation(.worker, at: { sandbox.state.store.version }, prepare) { exchange, application, now in
      // Its preconditions are those on the new state.
      Conditions(self).response(to: request.again, &exchange, application, now)
    } then: { evaluation, exchange, _, _ in
      exchange.meaning = evaluation.meaning
      return .response(sandbox.adopt(evaluation, api: api))
    }
  }
}

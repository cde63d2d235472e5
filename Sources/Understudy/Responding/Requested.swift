import Contract
import Services

/// A request whose route has an operation.
struct Requested {
  let call: Call
  let route: Router.Route
  let operation: Contract.Operation
  let sandbox: Sandbox
  /// The number of times that it was evaluated on another thread for a state that has changed since.
  var attempt = 0

  /// Returns the request, to be evaluated again.
  var again: Requested {
    var request = self
    request.attempt += 1
    return request
  }
}

extension Requested {
  /// True if it may change the state; true for HEAD, too, if GET would change it.
  var changesState: Bool {
    operation.semantics.changesState && operation.isWrite { call.query.has($0) }
  }

  /// The identity of its response to a read, as of now.
  var rendering: RenderingKey {
    RenderingKey(
      [operation.id, call.base] + call.arguments + call.query.pairs.flatMap { [$0.name, $0.value] }, of: sandbox,
      version: sandbox.state.store.version)
  }

  /// Returns the response of its operation on a state that it does not change. A long response shows the state at the time of
  /// the request.
  func read(from store: Store, _ finished: @escaping @Sendable (Response) -> Response = { $0 }) -> Performance {
    let (call, api) = (call, route.api)
    let body: @Sendable () -> Response = {
      var copy = store
      return finished(copy.respond(api: api, to: call))
    }
    return store.isLong(api: api, call) ? .rendering(.worker) { body } : .response(body())
  }
}

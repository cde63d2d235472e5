/// A value that is worked out when it is first asked for, once, on the thread that asks.
final class WorkedOut<Value: Sendable>: Sendable {
  private enum State: Sendable {
    case pending(@Sendable () -> Value)
    case known(Value)
  }

  private let state: Locked<State>

  init(_ body: @escaping @Sendable () -> Value) { state = Locked(.pending(body)) }

  /// Other threads that ask meanwhile wait for it.
  var value: Value {
    state.withLock { state in
      if case .known(let value) = state { return value }
      guard case .pending(let body) = state else { preconditionFailure("it is known or not") }
      let value = body()
      state = .known(value)
      return value
    }
  }
}

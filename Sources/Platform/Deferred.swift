/// A value that is computed once, at its first use, on the thread that uses it.
package final class Deferred<Value: Sendable>: Sendable {
  private enum State: Sendable {
    case pending(@Sendable () -> Value)
    case known(Value)
  }

  private let state: Locked<State>

  package init(_ body: @escaping @Sendable () -> Value) { state = Locked(.pending(body)) }

  /// The value. Other threads wait while it is computed.
  package var value: Value {
    state.withLock { state in
      if case .known(let value) = state { return value }
      guard case .pending(let body) = state else { preconditionFailure("it is known or not") }
      let value = body()
      state = .known(value)
      return value
    }
  }
}

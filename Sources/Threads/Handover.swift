/// A value that moves between threads. The thread that takes it out frees it, even if another thread still holds the
/// handover.
package final class Handover<Value: Sendable>: Sendable {
  private let value: Locked<Value?>

  package init(_ value: Value) { self.value = Locked(value) }

  /// Returns the value the first time, and nil afterwards.
  package func take() -> Value? { value.withLock { $0.take() } }

  /// Frees the value.
  package func clear() { _ = take() }
}

/// An object that one thread at a time uses: threads pass it on together with the work that needs it.
package struct Exclusive<Object: AnyObject>: @unchecked Sendable {
  package let object: Object

  package init(object: Object) { self.object = object }
}

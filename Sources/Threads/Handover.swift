/// A value that moves between threads. The thread that takes it out frees it, even if another thread still holds the
/// handover.
final class Handover<Value: Sendable>: Sendable {
  private let value: Locked<Value?>

  init(_ value: Value) { self.value = Locked(value) }

  /// Returns the value the first time, and nil afterwards.
  func take() -> Value? { value.withLock { $0.take() } }

  /// Frees the value.
  func clear() { _ = take() }
}

/// An object that one thread at a time uses: threads pass it on together with the work that needs it.
struct Exclusive<Object: AnyObject>: @unchecked Sendable {
  let object: Object
}

/// A value on its way from one thread to another: the thread that takes it out last is the one that frees it, whichever of
/// them holds on to the parcel for longer.
final class Parcel<Value: Sendable>: Sendable {
  private let value: Locked<Value?>

  init(_ value: Value) { self.value = Locked(value) }

  /// Returns the value, and nil from then on.
  func take() -> Value? { value.withLock { $0.take() } }

  /// Frees the value.
  func clear() { _ = take() }
}

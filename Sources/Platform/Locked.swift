#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A value that several threads share under a lock.
@safe package final class Locked<Value>: @unchecked Sendable {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private var value: Value

  package init(_ value: sending Value) {
    self.value = value
    unsafe mutex = .allocate(capacity: 1)
    unsafe pthread_mutex_init(mutex, nil)
  }

  deinit {
    unsafe pthread_mutex_destroy(mutex)
    unsafe mutex.deallocate()
  }

  package func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
    unsafe pthread_mutex_lock(mutex)
    defer { unsafe pthread_mutex_unlock(mutex) }
    return body(&value)
  }
}

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
package struct Exclusive<Object>: @unchecked Sendable {
  package let object: Object

  package init(object: Object) { self.object = object }
}

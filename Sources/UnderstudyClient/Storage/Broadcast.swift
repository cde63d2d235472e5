import Foundation

/// Sends values to any number of listeners, each with its own stream.
///
/// It belongs to an actor and needs no lock.
struct Broadcast<Value: Sendable> {
  private var listeners: [UUID: AsyncStream<Value>.Continuation] = [:]

  var isUnheard: Bool { listeners.isEmpty }

  mutating func add(
    _ listener: AsyncStream<Value>.Continuation, onEnd: @escaping @Sendable (UUID) -> Void
  ) {
    let id = UUID()
    listeners[id] = listener
    listener.onTermination = { _ in onEnd(id) }
  }

  /// Adds a listener that receives the current value at once, and skips values if it is slow.
  mutating func stream(from present: Value, onEnd: @escaping @Sendable (UUID) -> Void) -> AsyncStream<Value> {
    let (stream, continuation) = AsyncStream.makeStream(of: Value.self, bufferingPolicy: .bufferingNewest(1))
    add(continuation, onEnd: onEnd)
    continuation.yield(present)
    return stream
  }

  mutating func remove(_ id: UUID) { listeners[id] = nil }

  func send(_ value: Value) {
    for listener in listeners.values { listener.yield(value) }
  }

  mutating func finish() {
    for listener in listeners.values { listener.finish() }
    listeners = [:]
  }
}

import Foundation

/// A value that several threads change, and that a test waits for without polling.
package final class Observed<Value: Sendable>: @unchecked Sendable {
  private struct Waiter {
    let id: Int
    let condition: @Sendable (Value) -> Bool
    let continuation: CheckedContinuation<Bool, Never>
  }

  private let lock = NSLock()
  private var value: Value
  private var waiters: [Waiter] = []
  private var lastID = 0

  package init(_ value: Value) { self.value = value }

  /// Calls `body` with the value, which it may change, and resumes the tasks that waited for the new value.
  package func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
    var ready: [Waiter] = []
    defer { for waiter in ready { waiter.continuation.resume(returning: true) } }
    return lock.withLock {
      let result = body(&value)
      ready = waiters.filter { $0.condition(value) }
      waiters.removeAll { waiter in ready.contains { $0.id == waiter.id } }
      return result
    }
  }

  /// Returns true as soon as the condition holds, and false if it does not hold within the time limit.
  package func becomes(_ condition: @escaping @Sendable (Value) -> Bool) async -> Bool {
    let id = lock.withLock {
      lastID += 1
      return lastID
    }
    let deadline = Task {
      do { try await Task.sleep(for: Patience.limit) } catch { return }
      giveUp(id)
    }
    defer { deadline.cancel() }
    return await withCheckedContinuation { continuation in
      let holds = lock.withLock {
        guard !condition(value) else { return true }
        waiters.append(Waiter(id: id, condition: condition, continuation: continuation))
        return false
      }
      if holds { continuation.resume(returning: true) }
    }
  }

  private func giveUp(_ id: Int) {
    let waiter = lock.withLock { () -> Waiter? in
      guard let index = waiters.firstIndex(where: { $0.id == id }) else { return nil }
      return waiters.remove(at: index)
    }
    waiter?.continuation.resume(returning: false)
  }
}

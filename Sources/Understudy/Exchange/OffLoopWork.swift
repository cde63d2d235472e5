/// The values of one exchange that are worked out off the loop, and the work that is still to be done.
///
/// An exchange with pending work is performed from its beginning once more when the work is done, and then finds the value
/// here: nothing may have been changed before.
final class OffLoopWork {
  /// The exchange's ordinal.
  private let exchange: Int
  private let hasWorkers: Bool
  /// The number of times that changes had been taken back when the values were worked out.
  private var rollbackCount: Int
  private var results: [Work.Purpose: any Sendable] = [:]
  private var evaluations = 0
  /// The work to be done off the loop before the exchange can be performed.
  private(set) var pending: Work?

  /// - Parameter hasWorkers: False where every value is worked out at once.
  init(for exchange: Int, hasWorkers: Bool, rollbackCount: Int) {
    self.exchange = exchange
    self.hasWorkers = hasWorkers
    self.rollbackCount = rollbackCount
  }

  /// Returns the value of `body`; nil when it is not worked out yet, and is the pending work now.
  func value<Value: Sendable>(_ purpose: Work.Purpose, _ body: @escaping @Sendable () -> Value) -> Value? {
    guard hasWorkers else { return body() }
    if let value = results[purpose] as? Value { return value }
    pending = Work(purpose: purpose, exchange: exchange) { body() }
    return nil
  }

  /// Returns the value of `body` as `value(_:_:)` does, where it holds only for one version of the state.
  func value<Value: Sendable>(
    at version: @autoclosure () -> Int, _ body: @escaping @Sendable () -> Value
  ) -> Value? {
    // A state that changes again and again would keep the exchange waiting for ever.
    guard hasWorkers, evaluations < Self.maximumEvaluations else { return body() }
    let current = version()
    if let result = results[.evaluation] as? Versioned<Value>, result.version == current { return result.value }
    results[.evaluation] = nil
    evaluations += 1
    return value(.evaluation) { Versioned(version: current, value: body()) }?.value
  }

  private struct Versioned<Value: Sendable>: Sendable {
    let version: Int
    let value: Value
  }

  private static let maximumEvaluations = 4

  /// Stores the result of the pending work.
  func finish(_ work: Work, _ result: any Sendable) {
    pending = nil
    results[work.purpose] = result
  }

  /// Discards the values if changes were taken back since: they may show what was lost.
  func expire(after rollbackCount: Int) {
    guard rollbackCount != self.rollbackCount else { return }
    self.rollbackCount = rollbackCount
    discard()
  }

  /// Discards the values: the state is another than they were worked out from.
  func discard() {
    pending = nil
    results = [:]
  }
}

import Report

/// The values of one exchange that are computed off the loop, and the pending work.
///
/// An exchange with pending work is performed again from its beginning when the work is done, and then finds the value
/// here. So it must not change anything before.
final class OffLoopWork {
  /// The exchange's ordinal.
  private let exchange: Int
  private let hasWorkers: Bool
  /// The number of rollbacks when the values were computed.
  private var rollbackCount: Int
  private var results: [Work.Purpose: any Sendable] = [:]
  private var evaluations = 0
  /// The work to do off the loop before the exchange can be performed.
  private(set) var pending: Work?
  /// The version of the state that the response shows; nil if it was not rendered here.
  var shownVersion: Int?
  /// The meaning of the request's body for the report; nil if it was not evaluated here.
  var meaning: Meaning?

  /// Creates an empty set of values.
  ///
  /// - Parameter hasWorkers: False if every value is computed at once.
  init(for exchange: Int, hasWorkers: Bool, rollbackCount: Int) {
    self.exchange = exchange
    self.hasWorkers = hasWorkers
    self.rollbackCount = rollbackCount
  }

  /// Returns the value of `body`; nil if it is not computed yet, and is now the pending work.
  func value<Value: Sendable>(_ purpose: Work.Purpose, _ body: @escaping @Sendable () -> Value) -> Value? {
    guard hasWorkers else { return body() }
    if let value = results[purpose] as? Value { return value }
    pending = Work(purpose: purpose, exchange: exchange) { body() }
    return nil
  }

  /// Returns the value of `body` like `value(_:_:)`, if it is valid only for one version of the state.
  func value<Value: Sendable>(
    at version: @autoclosure () -> Int, _ body: @escaping @Sendable () -> Value
  ) -> Value? {
    // Otherwise a state that changes again and again would delay the exchange forever.
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

  /// Drops the pending work, which was not begun; performing the exchange again makes it anew.
  func withdraw() {
    if pending?.purpose == .evaluation { evaluations -= 1 }
    pending = nil
  }

  /// Discards the values if there was a rollback since: they may show changes that were rolled back.
  func expire(after rollbackCount: Int) {
    guard rollbackCount != self.rollbackCount else { return }
    self.rollbackCount = rollbackCount
    discard()
  }

  /// Discards the values, because the state has changed since they were computed.
  func discard() {
    (pending, shownVersion, meaning) = (nil, nil, nil)
    // An answer has no part in the state, and asking again would repeat the call.
    results = results.filter { $0.key == .question }
  }
}

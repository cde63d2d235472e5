import Foundation

/// The time after which a live test reports a missing event.
///
/// It limits failures only: a passing test waits for events. `UNDERSTUDY_PATIENCE` sets another number of whole
/// seconds, for sanitizers and slow machines.
package enum Patience {
  package static let seconds: Int = {
    guard let text = ProcessInfo.processInfo.environment["UNDERSTUDY_PATIENCE"] else { return 120 }
    guard let seconds = Int(text), seconds > 0 else {
      preconditionFailure("UNDERSTUDY_PATIENCE: expected whole seconds, found \(text)")
    }
    return seconds
  }()

  package static let limit = Duration.seconds(seconds)
}

/// Repeats an attempt that a busy machine can spoil, without pauses, until it succeeds; returns false if none does within
/// the time limit.
package func succeeds(_ attempt: () async throws -> Bool) async rethrows -> Bool {
  let end = ContinuousClock.now + Patience.limit
  repeat {
    if try await attempt() { return true }
    await Task.yield()
  } while ContinuousClock.now < end
  return false
}

/// Runs a body, and cancels it at the time limit.
package func withinPatience<Result: Sendable>(
  _ body: @escaping @Sendable () async throws -> Result
) async throws -> Result {
  let task = Task { try await body() }
  let deadline = Task {
    try await Task.sleep(for: Patience.limit)
    task.cancel()
  }
  defer { deadline.cancel() }
  return try await task.value
}

/// The choice between a sample, which keeps `swift test` short, and the complete test.
///
/// Each night `UNDERSTUDY_WHOLE_PROOF` is set, and everything runs.
package enum WholeProof {
  package static let isDemanded = ProcessInfo.processInfo.environment["UNDERSTUDY_WHOLE_PROOF"] != nil

  /// Returns the number of rounds: all if the complete test is required, otherwise the sample.
  package static func rounds(_ sample: Int, of whole: Int) -> Int { isDemanded ? whole : sample }

  /// Returns all elements if the complete test is required, otherwise every nth, beginning with the first.
  package static func sample<Element>(every n: Int, of whole: [Element]) -> [Element] {
    isDemanded ? whole : stride(from: 0, to: whole.count, by: n).map { whole[$0] }
  }
}

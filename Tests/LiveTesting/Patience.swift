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

/// Returns true as soon as the condition holds, and false if it does not hold within the time limit.
///
/// It is for conditions without an event. The pauses between checks grow, so that a long wait costs little.
package func eventually(_ condition: () async throws -> Bool) async rethrows -> Bool {
  let end = ContinuousClock.now + Patience.limit
  var pause = Duration.milliseconds(1)
  while ContinuousClock.now < end {
    if try await condition() { return true }
    try? await Task.sleep(for: pause)
    pause = min(pause * 2, .milliseconds(50))
  }
  return try await condition()
}

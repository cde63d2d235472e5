import Foundation

/// A request under way, which ends once, by whatever comes first: a reply, its time, or its caller's cancellation.
///
/// The caller then goes on at once, and need not trust that the loading system reports the end of what was cancelled.
final class Flight: @unchecked Sendable {
  typealias Arrival = Result<TransportResponse, TransportFailure>

  private let lock = NSLock()
  private var arrival: Arrival?
  private var waiting: CheckedContinuation<Arrival, Never>?
  private var cleanUp: (@Sendable () -> Void)?

  var hasEnded: Bool { lock.withLock { arrival != nil } }

  func begin(_ continuation: CheckedContinuation<Arrival, Never>) {
    let ended = lock.withLock {
      if arrival == nil { waiting = continuation }
      return arrival
    }
    if let arrival = ended { continuation.resume(returning: arrival) }
  }

  /// Does something when the flight ends, or at once if it has.
  func onEnd(_ body: @escaping @Sendable () -> Void) {
    let hasEnded = lock.withLock {
      if arrival == nil { cleanUp = body }
      return arrival != nil
    }
    if hasEnded { body() }
  }

  func end(_ end: Arrival) {
    let (continuation, body) = lock.withLock { () -> (CheckedContinuation<Arrival, Never>?, (@Sendable () -> Void)?) in
      guard arrival == nil else { return (nil, nil) }
      arrival = end
      defer { (waiting, cleanUp) = (nil, nil) }
      return (waiting, cleanUp)
    }
    body?()
    continuation?.resume(returning: end)
  }
}

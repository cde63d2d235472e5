import Foundation

/// A running request, which ends once, with the first of these: a response, its timeout, or its caller's cancellation.
///
/// The caller then continues at once, even if the loading system never reports the end of the cancelled request.
final class RequestTask: @unchecked Sendable {
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

  /// Calls `body` when the request ends, or at once if it has ended.
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

import Foundation

/// The times before which servers asked for no further requests. They hold for all calls of a client, not only for the
/// one that received the response (RFC 9110 section 10.2.3).
struct RetryAfterCache: Sendable {
  struct Key: Sendable, Hashable {
    let method: String
    let url: URL
  }

  private var ends: [Key: Duration] = [:]

  mutating func add(_ duration: Duration, on key: Key, at now: Duration) {
    ends = ends.filter { $0.value > now }
    ends[key] = max(ends[key] ?? .zero, now + duration)
  }

  /// Returns the time for which this request must not be sent; nil if it may be.
  func remaining(on key: Key, at now: Duration) -> Duration? {
    guard let end = ends[key], end > now else { return nil }
    return end - now
  }
}

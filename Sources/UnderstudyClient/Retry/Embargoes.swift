import Foundation

/// What servers asked not to be asked before a moment: it holds for all calls of a client, not only for the one that was
/// told so (RFC 9110 section 10.2.3).
struct Embargoes: Sendable {
  struct Key: Sendable, Hashable {
    let method: String
    let url: URL
  }

  private var ends: [Key: Duration] = [:]

  mutating func add(_ duration: Duration, on key: Key, at now: Duration) {
    ends = ends.filter { $0.value > now }
    ends[key] = max(ends[key] ?? .zero, now + duration)
  }

  /// How long the same must not be asked; nil where it may.
  func rest(on key: Key, at now: Duration) -> Duration? {
    guard let end = ends[key], end > now else { return nil }
    return end - now
  }
}

import Contract
import Primitives
import Report
import Services

/// The fields of a backend's response that tell its client when to ask again.
extension ForwardedHead {
  /// The time for which the response may be reused without validation (RFC 9111 section 4.2.1); nil if it says none.
  var lifetime: Duration? {
    guard let lifetime = value(of: "cache-control").flatMap({ CacheDirectives($0).lifetime }) else { return nil }
    let age = value(of: "age").flatMap { Int64($0) } ?? 0
    return lifetime > .seconds(age) ? lifetime - .seconds(age) : nil
  }

  /// The date in `Retry-After`, by the client's clock; nil if there is none.
  ///
  /// A client may count from the response's own `Date`. Where the backend's clock is ahead of this machine's, that is
  /// sooner, and right, too.
  func retryDate(at now: Instant) -> Instant? {
    guard let date = value(of: "retry-after").flatMap(HTTPDate.instant) else { return nil }
    let own = value(of: "date").flatMap(HTTPDate.instant) ?? now
    return min(date, now + (date - own))
  }

  /// The hash of the entity tag; nil if there is none.
  var tagHash: UInt64? { value(of: "etag").map(Self.hash(ofTag:)) }

  /// Returns the hash of a tag, by which two are equal in the weak comparison (RFC 9110 section 8.8.3.2).
  static func hash(ofTag tag: String) -> UInt64 { Observation.hash(String(EntityTagCondition.opaque(tag))) }
}

package import Primitives

/// The number of a request in its stream, or the key that replaces it.
package enum Ordinal: Sendable, Hashable {
  /// The ordinal, counted from 1.
  case ordinal(Int)
  /// The value of `Fault-Key`, which replaces n; windows of ordinals do not include it.
  case key(String)

  /// The ordinal; nil for a key.
  package var n: Int? { if case .ordinal(let n) = self { n } else { nil } }
}

/// The properties of a request that are known before it is performed.
package struct RequestContext: Sendable {
  package var stream: RequestKey
  package var position: Ordinal
  /// True if the request is a write from the client's point of view.
  package var changes: Bool
  /// True for a CORS preflight, to which only rules that name OPTIONS apply.
  package var isPreflight: Bool
  /// The time since the scenario was armed, by the sandbox's clock.
  @StoredNanoseconds package var elapsed: Duration

  /// True if the request counts for rules that count all requests that they match.
  var isCounted: Bool { !isPreflight && position.n != nil }

  package init(
    stream: RequestKey, position: Ordinal, changes: Bool, isPreflight: Bool = false, elapsed: Duration = .zero
  ) {
    self.stream = stream
    self.position = position
    self.changes = changes
    self.isPreflight = isPreflight
    self.elapsed = elapsed
  }
}

/// Requests that are counted together: those of one method on one path of one API.
package struct RequestKey: Sendable, Hashable {
  package let api: String
  /// The method in upper case.
  package let method: String
  /// The path without labels and query, percent-decoded, with single slashes.
  package let path: String
  /// The hash for decisions. Neither an API's name nor a method contains a line feed, so no two streams have the same
  /// text.
  package let hash: UInt64

  package init(api: String, method: String, path: String) {
    self.api = api
    self.method = method
    self.path = path
    hash = SeededHash.hash(
      path,
      from: SeededHash.hash(
        "\n", from: SeededHash.hash(method, from: SeededHash.hash("\n", from: SeededHash.hash(api)))))
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(hash) }
}

/// The position of a request in its stream.
package enum Ordinal: Sendable, Hashable {
  /// The ordinal, counted from 1.
  case ordinal(Int)
  /// A `Fault-Key`, which replaces n; windows of ordinals do not apply to it.
  case key(String)
}

/// The properties of a request that are known before it is performed.
package struct RequestContext: Sendable {
  package var stream: RequestKey
  package var position: Ordinal
  /// True if the request is a write as its client sees it.
  package var changes: Bool
  /// True for a CORS preflight, to which only rules that name OPTIONS apply.
  package var isPreflight: Bool
  /// The time since the scenario was armed, by the sandbox's clock.
  package var elapsed: Duration

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

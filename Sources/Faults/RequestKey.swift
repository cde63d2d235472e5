package import Primitives

/// The key of a stream: the requests with one method on one path of one API, which are counted together.
///
/// A class, because each decision copies it, and a struct would count the references to its three texts.
package final class RequestKey: Sendable, Hashable {
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
    hash = FNV1a.hash(
      path,
      from: FNV1a.hash(
        "\n", from: FNV1a.hash(method, from: FNV1a.hash("\n", from: FNV1a.hash(api)))))
  }

  package static func == (left: RequestKey, right: RequestKey) -> Bool {
    left.hash == right.hash && left.api == right.api && left.method == right.method && left.path == right.path
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(hash) }
}

/// The number of a request in its stream, or the key that replaces it.
package enum Ordinal: Sendable, Hashable {
  /// The ordinal, counted from 1.
  case ordinal(Int)
  /// The value of `Fault-Key`, which replaces n; windows of ordinals do not include it.
  case key(String)

  /// The ordinal; nil for a key.
  var n: Int? { if case .ordinal(let n) = self { n } else { nil } }
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

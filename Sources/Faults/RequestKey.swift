import Primitives

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

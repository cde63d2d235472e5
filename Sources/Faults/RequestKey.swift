import Primitives

/// The key of a stream: the requests with one method on one path of one API, which are counted together; of a backend,
/// those of one named operation.
///
/// A class, because each decision copies it, and a struct would count the references to its three texts.
package final class RequestKey: Sendable, Hashable {
  package let api: String
  /// The method in upper case.
  package let method: String
  /// The path without labels and query, percent-decoded, with single slashes.
  package let path: String
  /// The name that a file of semantics gives the operation; nil if it gives none.
  package let operation: String?
  /// The hash for decisions. Neither an API's name nor a method contains a line feed, so the texts of two streams
  /// differ, unless a path contains a line feed and an operation's name follows another one.
  package let hash: UInt64

  package init(api: String, method: String, path: String, operation: String? = nil) {
    self.api = api
    self.method = method
    self.path = path
    self.operation = operation
    let route = FNV1a.hash(
      path,
      from: FNV1a.hash(
        "\n", from: FNV1a.hash(method, from: FNV1a.hash("\n", from: FNV1a.hash(api)))))
    hash = operation.map { FNV1a.hash($0, from: FNV1a.hash("\n", from: route)) } ?? route
  }

  /// Returns the key of a named operation with the same method and path.
  package func naming(_ operation: String?) -> RequestKey {
    RequestKey(api: api, method: method, path: path, operation: operation)
  }

  package static func == (left: RequestKey, right: RequestKey) -> Bool {
    left.hash == right.hash && left.api == right.api && left.method == right.method && left.path == right.path
      && left.operation == right.operation
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(hash) }
}

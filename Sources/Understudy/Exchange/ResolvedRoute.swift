import Contract
import Faults

/// The route of a method and a path, independent of the client: the operation and the labels in the path.
///
/// It is computed once and shared by all requests with this method and path.
final class ResolvedRoute: Sendable {
  enum Target: Sendable {
    /// An operation with the values of its path's variables. HEAD is performed as GET.
    case operation(Router.Route, arguments: [String])
    /// A response that does not depend on the state: unknown path, unknown method, preflight.
    indirect case settled(Response, api: Int?)
  }

  let target: Target
  /// The operation, if the target has one.
  let operation: Contract.Operation?
  /// The API's index in the catalogue, if one was named or found.
  let api: Int?
  /// The labels in the path.
  let labels: Labels
  /// The path's labels, as a prefix of the API's `/`.
  let prefix: String
  /// The stream in which the requests are counted.
  let stream: RequestKey
  /// The path without labels, decoded, as stored in the journal.
  let path: [UInt8]

  init(
    _ target: Target, operation: Contract.Operation? = nil, labels: Labels = Labels(), prefix: String = "",
    stream: RequestKey = RequestKey(api: "", method: "", path: "/")
  ) {
    self.target = target
    self.operation = operation
    self.labels = labels
    self.prefix = prefix
    self.stream = stream
    path = Array(stream.path.utf8)
    api =
      switch target {
      case .operation(let route, _): route.api
      case .settled(_, let api): api
      }
  }

  /// Returns a problem that does not depend on the path.
  static func settled(_ problem: Problem, api: Int?) -> ResolvedRoute {
    ResolvedRoute(.settled(.problem(problem), api: api))
  }
}

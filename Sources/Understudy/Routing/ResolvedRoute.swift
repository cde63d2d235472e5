import Contract
import Faults
import Report
import Services

/// The route of a method and a path, independent of the client: the operation and the labels in the path.
///
/// It is computed once and shared by all requests with this method and path.
final class ResolvedRoute: Sendable {
  enum Target: Sendable {
    /// An operation with the values of its path's variables. HEAD is performed as GET.
    case operation(Router.Route, arguments: [String])
    /// A response that does not depend on the state: unknown path, unknown method, preflight.
    indirect case immediate(Response, api: Int?)
  }

  let target: Target
  /// The operation, if the target has one.
  let operation: Contract.Operation?
  /// The API's index in the catalogue, if one was named or found.
  let api: Int?
  /// True if the request is for the control API.
  let isControl: Bool
  /// The labels in the path.
  let labels: Labels
  /// True if the path has no labels.
  let isUnlabelled: Bool
  /// The path's labels, as a prefix of the API's `/`.
  let prefix: String
  /// The stream in which the requests are counted.
  let stream: RequestKey
  /// The properties of the request that the report needs.
  let subject: Subject

  init(
    _ target: Target, operation: Contract.Operation? = nil, isControl: Bool = false, labels: Labels = Labels(),
    prefix: String = "",
    stream: RequestKey = RequestKey(api: "", method: "", path: "/")
  ) {
    self.target = target
    self.operation = operation
    self.isControl = isControl
    self.labels = labels
    isUnlabelled = labels == Labels()
    self.prefix = prefix
    self.stream = stream
    switch target {
    case .operation(let route, let arguments):
      api = route.api
      subject = Subject(operation, api: api, arguments: arguments, path: stream.path)
    case .immediate(_, let named):
      api = named
      subject = Subject(nil, api: nil, arguments: [], path: stream.path)
    }
  }

  /// Returns a problem that does not depend on the path.
  static func immediate(_ problem: Problem, api: Int?) -> ResolvedRoute {
    ResolvedRoute(.immediate(.problem(problem), api: api))
  }
}

/// The target of a request.
struct Address: Sendable {
  var destination: ResolvedRoute
  /// The API and the sandbox of the request.
  var labels = Labels()
  /// Scheme and authority as the client wrote them; empty if the authority is unknown.
  var origin = ""
  /// The labels before the API's `/`.
  var prefix = ""

  /// The target of a request whose head could not be read.
  static let unknown = Address(destination: ResolvedRoute(.immediate(Response(500), api: nil)))
}

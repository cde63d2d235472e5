import Contract
import Faults

/// Where a method on a path leads, whoever asks: what the contract and the path's own labels say of it.
///
/// It is worked out once and shared by all requests that look alike.
final class Destination: Sendable {
  enum Target: Sendable {
    /// An operation with the values of its path's variables. HEAD is carried out as GET.
    case operation(Router.Route, arguments: [String])
    /// An answer that needs no state: no such path, no such method, a preflight.
    indirect case settled(Reply, api: Int?)
  }

  let target: Target
  /// The operation, where the target is one.
  let operation: Contract.Operation?
  /// The API's place in the catalogue, as far as one was named or found.
  let api: Int?
  /// What the path's labels say.
  let labels: Labels
  /// The path's labels as they stand in front of the API's `/`.
  let prefix: String
  /// Which requests it is counted with.
  let stream: Stream
  /// The path without labels, decoded: what the journal keeps.
  let path: [UInt8]

  init(
    _ target: Target, operation: Contract.Operation? = nil, labels: Labels = Labels(), prefix: String = "",
    stream: Stream = Stream(api: "", method: "", path: "/")
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

  /// An answer for which the path does not matter.
  static func settled(_ problem: Problem, api: Int?) -> Destination {
    Destination(.settled(.problem(problem), api: api))
  }
}

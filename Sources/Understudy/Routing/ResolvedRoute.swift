import Contract
import Faults
import HTTP1
import Primitives
import Report
import Services

/// The route of a method and a path, independent of the client: the operation and the labels in the path.
///
/// Requests with this method and path share it for as long as a cache keeps it.
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
  /// True if its requests can be writes from the client's point of view.
  let canWrite: Bool
  /// The API's index in the catalogue, if one was named or found.
  let api: Int?
  /// The operation's index in its API.
  let operationIndex: Int?
  /// The source of the responses.
  let source: RouteSource
  /// The properties of the source.
  let traits: RouteSource.Traits
  /// The query parameter that requests a delay; nil if the API has none.
  let delayParameter: String?
  /// The rules of semantics of which a request's fields, query and content decide.
  let candidates: [Int]
  /// The rule of semantics that applies; nil if none does, or if a request decides.
  let rule: Int?
  /// The reason for which it is not known whether a rule of semantics applies; nil if it is known.
  let undeclaredReason: String?
  /// The labels in the path.
  let labels: Labels
  /// The path's labels, as a prefix of the API's `/`.
  let prefix: String
  /// The stream in which the requests are counted.
  let stream: RequestKey
  /// The properties of the request that the report needs.
  let subject: Subject

  init(
    _ target: Target, from source: RouteSource = .services, operation: Contract.Operation? = nil,
    delayParameter: String? = nil, labels: Labels = Labels(), prefix: String = "",
    stream: RequestKey = RequestKey(api: "", method: "", path: "/"),
    candidates: [Int] = [], rule: Int? = nil, undeclaredReason: String? = nil, shows: [Contract.Operation] = []
  ) {
    self.target = target
    self.operation = operation
    canWrite = operation?.canWrite == true
    self.source = source
    traits = source.traits
    self.delayParameter = delayParameter
    self.labels = labels
    self.prefix = prefix
    self.stream = stream
    self.candidates = candidates
    self.rule = rule
    self.undeclaredReason = undeclaredReason
    switch target {
    case .operation(let route, let arguments):
      api = route.api
      operationIndex = route.operation
      subject = Subject(
        operation, api: api, arguments: arguments, path: stream.path, shows: shows)
    case .immediate(_, let named):
      api = named
      operationIndex = nil
      subject = Subject(nil, api: nil, arguments: [], path: stream.path)
    }
  }

  /// Returns the address of a request for this route at a host.
  func address(at host: Host, _ apis: [API]) throws(Labels.Conflict) -> Address {
    var labels = host.labels
    try labels.add(self.labels, apis)
    return Address(self, labels: labels, origin: host.origin, prefix: prefix)
  }

  /// Returns the route of a request for which one of the candidates was found, or none for a reason.
  func declared(
    _ target: Target, _ operation: Contract.Operation, rule: Int?, undeclaredReason: String?
  ) -> ResolvedRoute {
    ResolvedRoute(
      target, from: source, operation: operation, labels: labels, prefix: prefix, stream: stream.naming(operation.name),
      rule: rule, undeclaredReason: undeclaredReason, shows: subject.shows)
  }

  /// Returns a problem that does not depend on the path.
  static func immediate(_ problem: Problem, api: Int?) -> ResolvedRoute {
    ResolvedRoute(.immediate(.problem(problem), api: api))
  }
}

/// A cache of routes by method, path and API, so that a path is parsed once.
///
/// A route depends only on these. The size of the cache is limited.
final class RouteCache {
  /// A cached route, and its last address.
  final class CachedRoute {
    fileprivate let line: [UInt8]
    fileprivate let api: Int?
    let destination: ResolvedRoute
    private var host: Host?
    private var address: Address?

    fileprivate init(line: [UInt8], api: Int?, destination: ResolvedRoute) {
      self.line = line
      self.api = api
      self.destination = destination
    }

    /// True if a request has this method and this path.
    func isRoute(of request: borrowing Request) -> Bool {
      guard let line = request.routeLine else { return false }
      return request.bytes.span.holds(self.line, at: line)
    }

    /// Returns the address of the route at a host.
    func address(at host: Host, _ apis: [API]) throws(Labels.Conflict) -> Address {
      if self.host === host, let address { return address }
      let address = try destination.address(at: host, apis)
      (self.host, self.address) = (host, address)
      return address
    }
  }

  /// A power of two, so that a slot is a part of the hash.
  static let capacity = 4_096
  /// Longer paths are not cached: the cache would hold several copies of each, decoded, as text and as arguments.
  static let maximumPathBytes = 512

  /// Each route is in the slot of its hash; the newest one has it.
  private var slots: [CachedRoute?] = Array(repeating: nil, count: capacity)

  /// Returns the cached route of a request.
  ///
  /// - Parameter api: The API that the request names outside its path.
  func find(_ request: borrowing Request, api: Int?) -> CachedRoute? {
    guard let line = request.routeLine, let cached = slots[Self.slot(request, line, api)], cached.api == api,
      cached.isRoute(of: request)
    else { return nil }
    return cached
  }

  func store(_ destination: ResolvedRoute, for request: borrowing Request, api: Int?) {
    guard let line = request.routeLine, request.path.count <= Self.maximumPathBytes else { return }
    slots[Self.slot(request, line, api)] = CachedRoute(
      line: Array(request.bytes[line]), api: api, destination: destination)
  }

  /// Returns the slot. It depends on the line's length and its last bytes, in which paths differ most, and on the
  /// method's first byte.
  private static func slot(_ request: borrowing Request, _ line: Range<Int>, _ api: Int?) -> Int {
    let bytes = request.bytes.span
    let traits = UInt64(line.count) << 16 | UInt64(api.map { $0 + 1 } ?? 0) << 8 | UInt64(bytes[line.lowerBound])
    let hash = Fingerprint.mix(bytes.word(at: line.upperBound - 8), into: Fingerprint.mix(traits, into: 0))
    return Int(truncatingIfNeeded: hash) & (capacity - 1)
  }
}

extension Request {
  /// The request line from the method to the path; nil if it names an authority between them, or if it is too short to
  /// name an operation.
  fileprivate var routeLine: Range<Int>? {
    guard case .origin = targetForm, path.upperBound - method.lowerBound >= 8 else { return nil }
    return method.lowerBound..<path.upperBound
  }
}

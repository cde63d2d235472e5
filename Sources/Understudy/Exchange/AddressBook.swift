import Contract
import Faults
import HTTP1

/// Finds where a request is meant to go: its sandbox by its labels, its operation by method and path.
struct AddressBook {
  /// The five APIs, and the control API behind them.
  let apis: [API]
  private let merged: Router
  private let own: [Router]
  private let control: Router
  private var segments = SegmentedPath()
  private var host = HostCache()

  /// The control API's place in `apis`.
  var controlPlace: Int { apis.count - 1 }

  init(apis: [API], control: API) {
    self.apis = apis + [control]
    merged = Router(apis.enumerated().map { ($0.offset, $0.element) }, isMerged: true)
    own = apis.enumerated().map { Router([($0.offset, $0.element)], isMerged: false) }
    self.control = Router([(apis.count, control)], isMerged: false)
  }

  /// Decides where `request` goes.
  ///
  /// - Parameters:
  ///   - port: The labels of the port that it came in by.
  ///   - sandboxes: All sandboxes there are.
  mutating func exchange(
    for request: Request, at port: Labels, among sandboxes: Sandboxes, arrival: Tick
  ) -> Exchange {
    segments.read(request.bytes, request.path)
    let labels: Labels
    let base: String
    do throws(Labels.Conflict) {
      (labels, base) = try self.labels(of: request, at: port)
    } catch {
      let target = Exchange.Target.settled(.problem(.twoLabels(error)), api: port.api)
      return Exchange(request: request, target: target, arrival: arrival)
    }
    guard let sandbox = sandboxes[labels.sandbox] else {
      let problem = Problem.unknownSandbox(labels.sandbox ?? "")
      let target = Exchange.Target.settled(.problem(problem), api: isControl ? controlPlace : nil)
      return Exchange(request: request, target: target, arrival: arrival)
    }
    let target = target(of: request, api: labels.api)
    return Exchange(
      request: request, sandbox: sandbox, target: target, base: base, labels: labels, port: port, arrival: arrival)
  }

  private mutating func labels(
    of request: Request, at port: Labels
  ) throws(Labels.Conflict) -> (labels: Labels, base: String) {
    let named = Array(apis.dropLast())
    var labels = port
    try labels.add(host.read(request, named), named)
    var prefix = ""
    while let label = segments.takeLabel() {
      try labels.add(label.lowercased(), named)
      prefix += "/@" + PercentCoding.encodeSegment(label)
    }
    for value in request.values(of: .understudySandbox) {
      let label = request.text(value).lowercased()
      try labels.add(Labels(sandbox: label), named)
      prefix += "/@" + PercentCoding.encodeSegment(label)
    }
    return (labels, prefix.isEmpty ? host.base : host.base + prefix)
  }

  /// The path that was read last, without labels, percent-decoded, slashes collapsed.
  var path: String { segments.canonical }

  private static let everyMethod = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"

  /// Whether the path that was read last, behind its labels, belongs to the control API.
  private var isControl: Bool {
    segments.count > 0 && (segments.segment(0, equals: Self.mock) || segments.segment(0, equals: Self.document))
  }

  private func target(of request: Request, api: Int?) -> Exchange.Target {
    if request.targetForm == .asterisk { return .settled(.options(allowing: Self.everyMethod), api: api) }
    if request.targetForm == .authority {
      return .settled(.methodNotAllowed(405, request.text(request.method), Self.everyMethod), api: api)
    }
    let router = isControl ? control : api.map { own[$0] } ?? merged
    guard let match = router.match(segments) else {
      // Refusing the question would hide the answer: a page would be told of CORS, and not of the path.
      if !isControl, Preflight(request, allowed: nil) != nil {
        return .settled(.options(allowing: Self.everyMethod), api: api)
      }
      let owner = isControl ? controlPlace : api ?? router.owner(of: segments)
      return .settled(.problem(.unknownPath(segments.canonical)), api: owner)
    }
    return target(of: request, match)
  }

  private static let mock = Array("_mock".utf8)
  private static let document = Array("openapi.yaml".utf8)

  private func target(of request: Request, _ match: Router.Match) -> Exchange.Target {
    let api = match.routes[0].route.api
    guard let method = request.knownMethod.flatMap({ Contract.Method($0) }) else {
      let name = request.text(request.method)
      let status = Contract.Method.registeredElsewhere.contains(name) ? 405 : 501
      return .settled(.methodNotAllowed(status, name, match.allowed), api: api)
    }
    if method == .options { return .settled(.options(allowing: match.allowed), api: api) }
    guard let route = match.route(for: method == .head ? .get : method) else {
      return .settled(.methodNotAllowed(405, method.rawValue, match.allowed), api: api)
    }
    return .operation(route, arguments: match.variables.places.map { segments.text($0) })
  }

  /// The stream that requests of this method and path belong to, and whether they can change state.
  ///
  /// - Parameters:
  ///   - path: As in a target, an API's label included.
  ///   - api: The API that is meant where the path has no label.
  func stream(
    _ method: Contract.Method, _ path: String, in api: Int? = nil
  ) throws(Problem) -> (Stream, changes: Bool) {
    var segments = SegmentedPath()
    let bytes = Array(path.utf8.prefix { $0 != UInt8(ascii: "?") })
    segments.read(bytes, 0..<bytes.count)
    var labels = Labels()
    do throws(Labels.Conflict) {
      while let label = segments.takeLabel() { try labels.add(label.lowercased(), Array(apis.dropLast())) }
    } catch {
      throw .twoLabels(error)
    }
    if let name = labels.sandbox {
      throw .parameter("path", "expected no sandbox in it; ask the sandbox itself, at /@\(name)/_mock/plan")
    }
    guard !(segments.count > 0 && segments.segment(0, equals: Self.mock)) else {
      throw .parameter("path", "the control API is never faulted")
    }
    let api = labels.api ?? api
    let router = api.map { own[$0] } ?? merged
    let match = router.match(segments)
    let route = match?.route(for: method == .head ? .get : method)
    let place = api ?? match?.routes.first?.route.api ?? router.owner(of: segments)
    let stream = Stream(
      api: place.map { apis[$0].name } ?? "", method: method.rawValue, path: segments.canonical)
    return (stream, method != .head && route.map { operation($0).changesState } == true)
  }

  /// Whether a method and a path, an API's label included, name an operation.
  func isRouted(_ method: Contract.Method, _ path: String) -> Bool {
    var segments = SegmentedPath()
    let bytes = Array(path.utf8.prefix { $0 != UInt8(ascii: "?") })
    segments.read(bytes, 0..<bytes.count)
    var labels = Labels()
    while let label = segments.takeLabel() { try? labels.add(label.lowercased(), Array(apis.dropLast())) }
    let router = labels.api.map { own[$0] } ?? merged
    return router.match(segments)?.route(for: method == .head ? .get : method) != nil
  }

  /// The operation that GET names on the path of the request that was looked at last: its representation is what the
  /// preconditions of other methods are about.
  func retrieval(besides route: Router.Route) -> Router.Route? {
    let api = apis[route.api]
    let path = api.operations[route.operation].path.segments
    let index = api.operations.firstIndex { $0.method == .get && $0.path.segments == path }
    return index.map { Router.Route(api: route.api, operation: $0) }
  }

  func operation(_ route: Router.Route) -> Contract.Operation { apis[route.api].operations[route.operation] }
}

/// The labels and the base of the authority that came last; a connection's requests mostly name the same one.
private struct HostCache {
  private var authority: [UInt8] = []
  private var labels = Labels()
  private(set) var base = HostCache.baseWithoutHost

  private static let baseWithoutHost = "http://localhost"

  mutating func read(_ request: Request, _ apis: [API]) throws(Labels.Conflict) -> Labels {
    guard let host = request.host else {
      self = HostCache()
      return labels
    }
    if request.bytes[host] == authority[...] { return labels }
    labels = try HostName(request.bytes[host]).labels(apis)
    base = "http://" + request.text(host)
    authority = Array(request.bytes[host])
    return labels
  }
}

extension Contract.Method {
  /// The method of a request, if any operation could have it.
  init?(_ known: HTTP1.Method) {
    switch known {
    case .get: self = .get
    case .head: self = .head
    case .post: self = .post
    case .put: self = .put
    case .patch: self = .patch
    case .delete: self = .delete
    case .options: self = .options
    case .connect, .trace: return nil
    }
  }
}

import Contract
import ControlAPI
import Faults
import HTTP1
import Primitives
import Services

/// Resolves a request's target: the name of its sandbox by its labels, its operation by method and path.
final class RequestRouter {
  /// The five APIs, followed by the control API and, in front of a backend, its API.
  let apis: [API]
  /// The backend; nil if the five APIs are served.
  private let backend: Upstream?
  /// Returns true if there is a sandbox of this name. In front of a backend, a label of no sandbox is a part of the path.
  var hasSandbox: (String) -> Bool = { _ in false }
  /// The served APIs, whose names are labels.
  private let named: [API]
  let merged: Router
  let own: [Router]
  private let control: Router
  private var segments = NormalizedPath()
  private let known = RouteCache()
  private var host: Host?

  /// The control API's index in `apis`.
  private let controlIndex: Int

  /// The operations of the backend; nil if the five APIs are served.
  var upstream: UpstreamRoutes? { backend?.routes }

  /// - Parameter upstream: The backend that is served in place of the APIs.
  init(apis: [API], control: API, upstream: Upstream? = nil) {
    self.apis = apis + [control] + (upstream.map { [$0.routes.generic.api] } ?? [])
    backend = upstream
    controlIndex = apis.count
    named = upstream == nil ? apis : []
    merged = Router(apis.enumerated().map { ($0.offset, $0.element) }, isMerged: true)
    own = apis.enumerated().map { Router([($0.offset, $0.element)], isMerged: false) }
    self.control = Router([(apis.count, control)], isMerged: false)
  }

  /// Returns the target of a request.
  ///
  /// - Parameter link: The connection by which it arrived.
  func address(of request: borrowing Request, by link: Link) -> Address {
    do throws(Labels.Conflict) {
      return try resolved(request, by: link)
    } catch {
      return Address(.immediate(.twoLabels(error), api: error.api ?? link.port.api))
    }
  }

  private func resolved(_ request: borrowing Request, by link: Link) throws(Labels.Conflict) -> Address {
    // Polling clients and retries repeat the request line, too.
    if let last = link.last, last.route.isRoute(of: request) { return last.address }
    let host = try host(of: request, by: link)
    if link.port.isControl { return try controlAddress(of: request, at: host) }
    let entry = known.find(request, api: host.labels.api)
    var address: Address
    if let entry {
      address = try entry.address(at: host, named)
    } else {
      address = try destination(of: request, api: host.labels.api).address(at: host, named)
    }
    if request.has(.understudySandbox) { address = try labelled(address, request) }
    link.last = host.isFixed ? entry.map { ($0, address) } : nil
    return address
  }

  /// Returns the address of a request at the port of the control API, where no path is the backend's.
  private func controlAddress(of request: borrowing Request, at host: Host) throws(Labels.Conflict) -> Address {
    segments.read(request.bytes, request.path)
    let (labels, prefix) = try takeLabels(from: &segments)
    let target = controlTarget(of: request)
    let address = try destination(target, request, labels, prefix).address(at: host, named)
    return request.has(.understudySandbox) ? try labelled(address, request) : address
  }

  /// Returns the target of a request whose last parsed path is one of the control API.
  private func controlTarget(of request: borrowing Request) -> ResolvedRoute.Target {
    guard let match = control.match(segments) else {
      return .immediate(.problem(.unknownControlPath(segments.canonical)), api: controlIndex)
    }
    return target(of: request, match)
  }

  /// Returns an address with the sandbox that a field names.
  private func labelled(_ address: Address, _ request: borrowing Request) throws(Labels.Conflict) -> Address {
    var (labels, prefix) = (address.labels, address.prefix)
    for value in request.values(of: .understudySandbox) {
      let label = request.text(value).lowercased()
      try labels.add(Labels(sandbox: label), named)
      prefix += "/@" + PercentCoding.encodeSegment(label)
    }
    return Address(address.destination, labels: labels, origin: address.origin, prefix: prefix)
  }

  /// Returns the host of a request. It is mostly that of the request before, of the same connection or of another one.
  private func host(of request: borrowing Request, by link: Link) throws(Labels.Conflict) -> Host {
    // A target with an authority takes precedence over the field (RFC 9112 section 3.2.2).
    let isInField = if case .origin = request.targetForm { true } else { false }
    if isInField, let host = link.host { return host }
    if isInField, let host, host.isHost(of: request, at: link.port) {
      link.host = host
      return host
    }
    let new = try Host(of: request, at: link.port, named, hasSandbox: upstream == nil ? nil : hasSandbox)
    if isInField, new.isFixed { (host, link.host) = (new, new) }
    return new
  }

  /// Resolves a method and a path.
  ///
  /// - Parameter api: The API that the request names outside its path.
  private func destination(of request: borrowing Request, api: Int?) throws(Labels.Conflict) -> ResolvedRoute {
    segments.read(request.bytes, request.path)
    let (labels, prefix) = try takeLabels(from: &segments)
    let target = target(of: request, api: api ?? labels.api)
    let destination = destination(target, request, labels, prefix)
    // The operation of `/` also depends on `Accept`, and in front of a backend the labels depend on the sandboxes.
    let isFixed = upstream == nil || !segments.hasLabels
    if destination.operation != nil, segments.count > 0, isFixed { known.store(destination, for: request, api: api) }
    return destination
  }

  /// Removes the labels from the front of a path, and returns them, with the prefix that they are in URLs.
  func takeLabels(from path: inout NormalizedPath) throws(Labels.Conflict) -> (Labels, prefix: String) {
    var labels = Labels()
    var prefix = ""
    while let label = path.label, upstream == nil || isLabel(label.lowercased(), in: path) {
      path.dropLabel()
      try labels.add(label.lowercased(), named)
      prefix += "/@" + PercentCoding.encodeSegment(label)
    }
    return (labels, prefix)
  }

  /// Returns true if the first segment of a path to a backend is a label. That of the default sandbox is one only before the
  /// control API: it always exists, so a backend may have the path.
  private func isLabel(_ name: String, in path: NormalizedPath) -> Bool {
    guard name == Sandboxes.defaultName else { return hasSandbox(name) }
    return path.count > 1 && path.segment(1, isWritten: Self.mock)
  }

  private func destination(
    _ target: ResolvedRoute.Target, _ request: borrowing Request, _ labels: Labels, _ prefix: String
  ) -> ResolvedRoute {
    var operation: Contract.Operation?
    let api: Int?
    switch target {
    case .operation(let route, _): (operation, api) = (self.operation(route), route.api)
    case .immediate(_, let position): api = position
    }
    let stream = RequestKey(
      api: api.map { apis[$0].name } ?? "", method: request.text(request.method).uppercased(),
      path: segments.canonical)
    let source = source(of: api)
    var route: UpstreamRoutes.Route?
    if case .backend(let backend) = source {
      route = backend.routes.route(request.knownMethod, request.text(request.method), stream.path)
    }
    return ResolvedRoute(
      target, from: source, operation: operation, delayParameter: api.flatMap { apis[$0].delayParameter },
      labels: labels, prefix: prefix, stream: stream, candidates: route?.candidates ?? [], shows: route?.shows ?? [])
  }

  private func source(of api: Int?) -> RouteSource {
    if api == controlIndex { return .control }
    guard let backend, api != nil else { return .services }
    return .backend(backend)
  }

  /// Returns the address of a request with the operation that the file of semantics declares for it, and the text that
  /// identifies the logical write, if the file names its place.
  ///
  /// - Parameter isIncomplete: True if not all of its content has been read.
  func declared(
    _ address: Address, _ request: borrowing Request, isIncomplete: Bool
  ) -> (address: Address, key: String?) {
    let destination = address.destination
    guard let upstream, !destination.candidates.isEmpty, let assumed = destination.operation,
      case .operation(let route, let arguments) = destination.target
    else { return (address, nil) }
    switch upstream.declaration(of: request, among: destination.candidates, isIncomplete: isIncomplete) {
    case .none: return (address, nil)
    case .undeclared(let reason):
      let undeclared = destination.declared(destination.target, assumed, rule: nil, undeclaredReason: reason)
      return (address.with(undeclared), nil)
    case .rule(let rule, let key):
      let declared = Router.Route(api: route.api, operation: upstream.generic.operation(ofDeclaration: rule))
      let target = ResolvedRoute.Target.operation(declared, arguments: arguments)
      return (address.with(destination.declared(target, operation(declared), rule: rule, undeclaredReason: nil)), key)
    }
  }

  private static let everyMethod = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"

  /// True if the last parsed path, without its labels, belongs to the control API.
  private var isControl: Bool {
    guard segments.count > 0 else { return false }
    // A backend may have a path that is equal but for its encoding.
    guard upstream == nil else { return segments.segment(0, isWritten: Self.mock) }
    return segments.segment(0, equals: Self.mock) || segments.segment(0, equals: Self.document)
  }

  /// True if the request is for the control API's page at `/`, and not for an unknown path.
  ///
  /// - Parameter api: The API that the request names, if any. A write to `/` of an API is a write to an unknown path;
  ///   elsewhere the response names the methods of the page (405).
  private func isFrontPage(_ request: borrowing Request, api: Int?) -> Bool {
    guard segments.count == 0 else { return false }
    switch request.knownMethod {
    case .get, .head:
      let accept = Accept(request.combined(.accept) ?? "")
      // A script of a page that asks for text has mistaken the path of an API, and can read the problem.
      return accept.prefersHTML || accept.prefersText && request.first(.origin) == nil
    // A preflight is about the path that the page wants to use, and pages must not use the control API.
    case .options: return Preflight(request, allowed: nil) == nil
    default: return api == nil
    }
  }

  private func target(of request: borrowing Request, api: Int?) -> ResolvedRoute.Target {
    if let upstream, !isControl, request.targetForm != .authority {
      let path = segments.canonical
      let route = upstream.route(request.knownMethod, request.text(request.method), path)
      return .operation(Router.Route(api: apis.count - 1, operation: route.operation), arguments: [path])
    }
    if request.targetForm == .asterisk { return .immediate(.options(allowing: Self.everyMethod), api: api) }
    if request.targetForm == .authority {
      return .immediate(.methodNotAllowed(405, request.text(request.method), Self.everyMethod), api: api)
    }
    let router = isControl || isFrontPage(request, api: api) ? control : api.map { own[$0] } ?? merged
    guard let match = router.match(segments) else {
      // A refused preflight would hide the response: the page would see a CORS error instead of the unknown path.
      if !isControl, Preflight(request, allowed: nil) != nil {
        return .immediate(.options(allowing: Self.everyMethod), api: api)
      }
      let owner = isControl ? controlIndex : api ?? router.owner(of: segments)
      let path = segments.canonical
      let advice = owner.flatMap(advice) ?? Problem.controlAdvice(on: path)
      var response = Response.problem(isControl ? .unknownControlPath(path) : .unknownPath(path, advice: advice))
      if segments.count == 0 {
        response.fields.append(ResponseField("Vary", "Accept, " + VariedFields.ofEveryResponse))
      }
      return .immediate(response, api: owner)
    }
    return target(of: request, match)
  }

  /// Returns the advice for the last parsed path, if the real service of an API had it.
  private func advice(ofAPI index: Int) -> String? {
    apis[index].advice(for: (0..<segments.count).map { segments.text($0) })
  }

  static let mock = Array("_mock".utf8)
  private static let document = Array("openapi.yaml".utf8)

  private func target(of request: borrowing Request, _ match: Router.Match) -> ResolvedRoute.Target {
    let api = match.routes[0].route.api
    guard let method = request.knownMethod, method.isOfOperations else {
      let name = request.text(request.method)
      let status = Method.registeredElsewhere.contains(name) ? 405 : 501
      return .immediate(.methodNotAllowed(status, name, match.allowed), api: api)
    }
    if method == .options { return .immediate(.options(allowing: match.allowed), api: api) }
    guard let route = match.route(for: method == .head ? .get : method) else {
      return .immediate(.methodNotAllowed(405, method.rawValue, match.allowed), api: api)
    }
    return .operation(route, arguments: match.variables.positions.map { segments.text($0) })
  }
}

import Contract
import Primitives

/// The declared operations, by their routes.
extension RequestRouter {
  /// Returns the operation of GET on the same path: the preconditions of other methods refer to its representation.
  func retrieval(besides route: Router.Route) -> Router.Route? {
    let api = apis[route.api]
    let path = api.operations[route.operation].path.segments
    let index = api.operations.firstIndex { $0.method == .get && $0.path.segments == path }
    return index.map { Router.Route(api: route.api, operation: $0) }
  }

  /// Returns the methods of a target besides that of a request, for the `Allow` field of an injected 405.
  func otherMethods(than method: Method?, at target: ResolvedRoute.Target) -> String {
    var methods: [Method] = []
    if case .operation(let route, _) = target {
      let path = operation(route).path.segments
      methods = apis[route.api].operations.filter { $0.path.segments == path }.map(\.method)
    }
    let retrievals: [Method] = [.get, .head]
    if methods.contains(.get) { methods = retrievals + methods.filter { $0 != .get } }
    let isRetrieval = method.map(retrievals.contains) ?? false
    methods.removeAll { $0 == method || isRetrieval && retrievals.contains($0) }
    return (methods + [.options]).map(\.rawValue).joined(separator: ", ")
  }

  /// Returns the form of an API's error bodies.
  func shape(ofErrorsOf api: Int) -> API.ErrorShape { apis[api].errors }

  func operation(_ route: Router.Route) -> Contract.Operation { apis[route.api].operations[route.operation] }
}

import Contract
import Faults
import HTTP1
import JSON
import Primitives
import Services

/// The operations of the backend: as the file of semantics declares, or by method.
struct UpstreamRoutes: Sendable {
  let generic: API.Generic
  let semantics: Semantics

  /// - Parameter name: The API's name, on which the decisions of scenarios depend.
  init(_ semantics: Semantics, named name: String = "upstream") {
    self.semantics = semantics
    generic = API.Generic(
      named: name,
      semantics.rules.map { API.Generic.Declaration($0.effect.kind, name: $0.name, key: $0.keyText) })
  }

  /// The part of a request's meaning that follows from its method and path.
  struct Route: Sendable {
    /// The index of the operation, if no candidate applies.
    let operation: Int
    /// The rules of which a request's fields, query and content decide.
    let candidates: [Int]
    /// The operations of which its responses show what became, if it reads.
    let shows: [Contract.Operation]
  }

  /// Returns the route of a method and a path.
  ///
  /// - Parameters:
  ///   - method: Nil for an unknown method.
  ///   - name: The method as in the request line.
  ///   - path: The path in its canonical form.
  func route(_ method: Method?, _ name: String, _ path: String) -> Route {
    // HEAD is performed as GET.
    let (method, name) = method == .head ? (.get, Method.get.rawValue) : (method, name)
    return Route(
      operation: generic.operation(of: method, name), candidates: semantics.candidates(name, path),
      shows: semantics.rulesShown(by: name, path).map { generic.api.operations[generic.operation(ofDeclaration: $0)] })
  }

  /// Returns the stream of requests with a method and path, and whether they are writes.
  ///
  /// - Parameter operation: The name of a rule that matches both; nil for the requests that no rule with a name and with
  ///   conditions matches.
  func stream(
    _ name: String, _ path: String, operation: String?
  ) throws(Problem) -> (RequestKey, changes: Bool) {
    let route = route(Method(rawValue: name), name, path)
    let rules = route.candidates.map { semantics.rules[$0] }
    let rule = operation == nil ? rules.first { $0.conditions.isEmpty } : rules.first { $0.name == operation }
    if let operation, rule == nil {
      let names = rules.compactMap(\.name).distinct()
      let known = names.isEmpty ? "gives them a name" : "gives them another name than \(names.joined(separator: ", "))"
      throw .unknownOperation(operation, "no rule of --semantics \(known)")
    }
    let stream = RequestKey(api: generic.api.name, method: name, path: path, operation: rule?.name)
    let isWrite = rule.map { $0.effect != .read } ?? generic.api.operations[route.operation].canWrite
    return (stream, changes: isWrite && name != Method.head.rawValue)
  }

  /// Returns the declaration of a request.
  ///
  /// - Parameters:
  ///   - candidates: Those of its route.
  ///   - isIncomplete: True if not all of its content has been read.
  func declaration(
    of request: borrowing Request, among candidates: [Int], isIncomplete: Bool
  ) -> Declaration {
    let content = RequestContent(
      request.bytes[request.body], isWhole: !isIncomplete, mediaType: request.combined(.contentType),
      coding: request.combined(.contentEncoding))
    let query = request.query.map { Query(parsing: request.bytes[$0]) } ?? Query()
    return semantics.declaration(
      among: candidates, content, parameters: { name in query.pairs.filter { $0.name == name }.map(\.value) },
      field: { request.combined($0) })
  }
}

extension SemanticsRule.Effect {
  fileprivate var kind: Contract.Operation.Effect.Kind {
    switch self {
    case .read: .reads
    case .set: .sets
    case .add: .adds
    }
  }
}

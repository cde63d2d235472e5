import Contract
import HTTP1
import Primitives
import Services

/// The operations of the backend: by method, or as the file of semantics declares.
struct UpstreamRoutes: Sendable {
  let generic: API.Generic
  private let semantics: Semantics

  /// - Parameter name: The API's name, on which the decisions of scenarios depend.
  init(_ semantics: Semantics, named name: String = "upstream") {
    self.semantics = semantics
    generic = API.Generic(
      named: name, semantics.rules.map { API.Generic.Declaration($0.effect, keyField: $0.keyField) })
  }

  /// Returns the index of the operation of a request. HEAD is performed as GET.
  ///
  /// - Parameters:
  ///   - method: Nil for an unknown method.
  ///   - path: The path in its canonical form.
  func operation(_ method: Method?, _ path: String) -> Int {
    let method = method == .head ? .get : method
    return semantics.index(for: method, path).map(generic.operation(ofDeclaration:)) ?? generic.operation(of: method)
  }
}

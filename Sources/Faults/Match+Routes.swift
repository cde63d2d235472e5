import JSON
import Primitives

extension Match {
  /// Throws if no request for any of the operations can match: such a rule would never apply.
  func checkRoutes(_ operations: [OperationContext], at pointer: JSONPointer) throws(ValidationError) {
    guard !operations.isEmpty else { return }
    if let operation {
      throw ValidationError(
        pointer / "operation",
        "expected none, found \(JSONValue.string(operation.text).text): only --semantics names operations, those of a backend"
      )
    }
    let routes = operations.filter { operation in
      (api ?? operation.api) == operation.api && path?.canMatch(template: operation.path) ?? true
    }
    if let path {
      let advice = PathAdvice(path: path.text, api: api, operations: operations)
      if let reason = advice.mismatch ?? (routes.isEmpty ? advice.hint : nil) {
        throw ValidationError(pointer / "path", advice.detail(reason))
      }
    }
    let requests = routes.flatMap(\.requests).filter { methods.isEmpty || methods.contains($0.method) }
    guard !requests.isEmpty else {
      let every = Set(routes.flatMap(\.requests).map(\.method))
      let supported = Self.knownMethods.filter { every.contains($0) }
      let found = methods.joined(separator: ", ")
      throw ValidationError(
        pointer / "method",
        "expected one of \(supported.joined(separator: ", ")), which the matched operations have, found \(found)")
    }
    if let changes, !requests.contains(where: { $0.changes ?? changes == changes }) {
      let every = changes ? "no operation that the rule matches can" : "every operation that the rule matches can"
      throw ValidationError(pointer / "changes", "expected \(!changes): \(every) change state")
    }
  }
}

extension OperationContext {
  /// The methods that the operation accepts: its own, HEAD if that is GET, and OPTIONS.
  fileprivate var requests: [(method: String, changes: Bool?)] {
    [(method, changes)] + (method == "GET" ? [("HEAD", false)] : []) + [("OPTIONS", false)]
  }
}

/// The error about a path without an operation: the path, and the probably intended one.
private struct PathAdvice {
  let path: String
  let api: String?
  let operations: [OperationContext]

  func detail(_ reason: String) -> String {
    let owner = api.map { "of \($0)" } ?? "that an API has"
    return "expected a path \(owner), found \(Reader.found(.string(path))); \(reason)"
  }

  /// The reason why the path can match no request even if it fits the template of an operation; nil if there is none.
  var mismatch: String? {
    let segments = path.split(separator: "/")
    let first = segments.first ?? ""
    if first.hasPrefix("@") { return labelHint(segments) }
    if first == "_mock" || first == "openapi.yaml" { return "no scenario affects the control API" }
    return PathGlob.advice(on: path)
  }

  /// A suggestion for a path that belongs to no operation.
  var hint: String {
    if let api, let other = operations.first(where: { $0.api != api && has($0, path) }) {
      return "that is a path of \(other.api)"
    }
    let known = paths
    if let near = Spelling.nearest(to: path, among: known) { return "did you mean \"\(near)\"?" }
    return api == nil ? "openapi.yaml lists all paths" : "expected one of \(known.joined(separator: ", "))"
  }

  /// Returns the reason for a path with labels: they select the API and the sandbox, and the path of a rule begins
  /// after them.
  private func labelHint(_ segments: [Substring]) -> String {
    let labels = segments.prefix { $0.hasPrefix("@") }.map { String($0.dropFirst()) }
    let rest = "/" + segments.dropFirst(labels.count).joined(separator: "/")
    let named = labels.first { label in operations.contains { $0.api == label } }
    let match: JSONValue = .object(
      JSONValue.Object(
        (named.map { [JSONValue.Member("api", .string($0))] } ?? []) + [JSONValue.Member("path", .string(rest))]))
    return "a rule's path has no labels, as in " + (rest.count > 42 ? "{\"api\": …, \"path\": …}" : match.text)
  }

  private func has(_ operation: OperationContext, _ path: String) -> Bool {
    PathGlob(path)?.canMatch(template: operation.path) ?? false
  }

  /// The paths of the API, or of all APIs, with `*` for each variable.
  private var paths: [String] {
    operations.filter { (api ?? $0.api) == $0.api }.map { operation in
      operation.path.split(separator: "/").map { "/" + ($0.hasPrefix("{") ? "*" : $0) }.joined()
    }.distinct()
  }
}

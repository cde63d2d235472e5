import Contract
import Faults
import Primitives
import Services

/// The streams of requests to come, of which only method and path are known.
extension RequestRouter {
  /// The methods of the requests for which there are plans.
  var plannedMethods: [String] { upstream == nil ? Method.ofOperations.map(\.rawValue) : Match.knownMethods }

  /// Returns the stream of requests with this method and path, and whether they are writes.
  ///
  /// - Parameters:
  ///   - name: The method as in a request line.
  ///   - path: The path as in a target, including an API's label and the query.
  ///   - operation: The name that the file of semantics gives the operation; nil for requests to which it gives none.
  ///   - api: The API of a path without a label.
  func stream(
    _ name: String, _ path: String, operation: String? = nil, in api: Int? = nil
  ) throws(Problem) -> (RequestKey, changes: Bool) {
    let read: ReadPath
    do throws(Labels.Conflict) {
      read = try self.read(path, in: api)
    } catch {
      throw .twoLabels(error)
    }
    let segments = read.segments
    if let name = read.labels.sandbox {
      throw .parameter(
        "path", "expected a path without a sandbox; send the request to the sandbox itself, at /@\(name)/_mock/plan")
    }
    guard !(segments.count > 0 && segments.segment(0, equals: Self.mock)) else {
      throw .parameter("path", "no scenario affects the control API")
    }
    if let upstream { return try upstream.stream(name, segments.canonical, operation: operation) }
    if let operation {
      throw .unknownOperation(operation, "only --semantics names operations, those of a backend")
    }
    guard let method = Method(operation: name) else {
      throw .parameter("method", "expected one of \(plannedMethods.joined(separator: ", "))")
    }
    let route = read.route(for: method)
    let position = read.api ?? read.match?.routes.first?.route.api ?? merged.owner(of: segments)
    let stream = RequestKey(
      api: position.map { apis[$0].name } ?? "", method: method.rawValue, path: segments.canonical)
    let isWrite = route.map { self.operation($0).isWrite(having: read.query.has) } == true
    return (stream, changes: isWrite && method != .head)
  }

  /// Returns true if a method and a path, including an API's label, have an operation.
  func isRouted(_ method: Method, _ path: String) -> Bool {
    (try? read(path))?.route(for: method) != nil
  }

  /// A parsed path without a request.
  private struct ReadPath {
    var segments = NormalizedPath()
    var labels = Labels()
    var api: Int?
    var query = Query()
    var match: Router.Match?

    func route(for method: Method) -> Router.Route? { match?.route(for: method == .head ? .get : method) }
  }

  /// Parses a path.
  ///
  /// - Parameters:
  ///   - path: The path as in a target, including an API's label.
  ///   - api: The API of a path without a label.
  private func read(_ path: String, in api: Int? = nil) throws(Labels.Conflict) -> ReadPath {
    var read = ReadPath()
    let bytes = Array(path.utf8.prefix { $0 != UInt8(ascii: "?") })
    read.segments.read(bytes, 0..<bytes.count)
    read.query = Query(parsing: Array(path.utf8.dropFirst(bytes.count + 1))[...])
    (read.labels, _) = try takeLabels(from: &read.segments)
    read.api = read.labels.api ?? api
    read.match = (read.api.map { own[$0] } ?? merged).match(read.segments)
    return read
  }
}

import Contract
import Primitives

/// Finds the operation of a path and a method among the APIs of one origin.
struct Router: Sendable {
  /// The index of an API in the catalogue, and of one of its operations.
  struct Route: Sendable, Hashable {
    let api: Int
    let operation: Int
  }

  struct Match: Sendable {
    /// The operations on this path, in the order of the contract.
    let routes: [(method: Method, route: Route)]
    /// The indices of the variable segments.
    let variables: VariableSegments

    func route(for method: Method) -> Route? {
      for (candidate, route) in routes where candidate == method { return route }
      return nil
    }

    /// The value of the `Allow` field: HEAD if there is GET, and always OPTIONS.
    var allowed: String {
      var methods = routes.map(\.method)
      if methods.contains(.get), !methods.contains(.head) { methods.insert(.head, at: 1) }
      return (methods + [.options]).map(\.rawValue).joined(separator: ", ")
    }
  }

  /// The indices of at most two variable segments; a path with more is refused at its declaration.
  struct VariableSegments: Sendable, Equatable {
    private(set) var first: Int?
    private(set) var second: Int?

    var positions: [Int] { [first, second].compactMap(\.self) }

    mutating func append(_ index: Int) {
      if first == nil { first = index } else { second = index }
    }
  }

  private struct Node {
    var literals: [(text: [UInt8], child: Int)] = []
    var variable: Int?
    var routes: [(method: Method, route: Route)] = []
  }

  private var nodes = [Node()]

  /// Creates a router.
  ///
  /// - Parameters:
  ///   - apis: The APIs with their indices in the catalogue.
  ///   - isMerged: True to include only the operations on the merged origin.
  init(_ apis: [(position: Int, api: API)], isMerged: Bool) {
    for (position, api) in apis {
      for (index, operation) in api.operations.enumerated() where operation.semantics.isMerged || !isMerged {
        insert(operation, Route(api: position, operation: index))
      }
    }
  }

  private mutating func insert(_ operation: Operation, _ route: Route) {
    let variableCount = operation.path.segments.count { if case .variable = $0 { true } else { false } }
    precondition(variableCount <= 2, "\(operation.path.text) has more than two variable segments")
    var node = 0
    for segment in operation.path.segments { node = child(of: node, segment) }
    let isTaken = nodes[node].routes.contains { $0.method == operation.method }
    precondition(!isTaken, "\(operation.method.rawValue) \(operation.path.text) is declared twice on one origin")
    nodes[node].routes.append((operation.method, route))
  }

  private mutating func child(of node: Int, _ segment: PathTemplate.Segment) -> Int {
    switch segment {
    case .literal(let text):
      let bytes = Array(text.utf8)
      if let known = nodes[node].literals.first(where: { $0.text == bytes }) { return known.child }
      nodes.append(Node())
      nodes[node].literals.append((bytes, nodes.count - 1))
    case .variable:
      if let known = nodes[node].variable { return known }
      nodes.append(Node())
      nodes[node].variable = nodes.count - 1
    }
    return nodes.count - 1
  }

  /// Returns the operations on `path`; a literal segment takes precedence over a variable one.
  func match(_ path: NormalizedPath) -> Match? {
    var variables = VariableSegments()
    guard let node = find(path, segment: 0, node: 0, &variables), !nodes[node].routes.isEmpty else { return nil }
    return Match(routes: nodes[node].routes, variables: variables)
  }

  private func find(_ path: NormalizedPath, segment: Int, node: Int, _ variables: inout VariableSegments) -> Int? {
    guard segment < path.count else { return nodes[node].routes.isEmpty ? nil : node }
    for literal in nodes[node].literals where path.segment(segment, equals: literal.text) {
      if let found = find(path, segment: segment + 1, node: literal.child, &variables) { return found }
    }
    guard let child = nodes[node].variable else { return nil }
    var attempt = variables
    attempt.append(segment)
    guard let found = find(path, segment: segment + 1, node: child, &attempt) else { return nil }
    variables = attempt
    return found
  }

  /// Returns the API that owns the first segment of an unknown path, whose error shape the 404 has.
  func owner(of path: NormalizedPath) -> Int? {
    guard path.count > 0 else { return nil }
    var candidates = nodes[0].literals.filter { path.segment(0, equals: $0.text) }.map(\.child)
    while let node = candidates.popLast() {
      if let route = nodes[node].routes.first { return route.route.api }
      candidates += nodes[node].literals.map(\.child) + [nodes[node].variable].compactMap(\.self)
    }
    return nil
  }
}

/// A parsed path: its segments are percent-decoded and empty ones are skipped, so that `//users/` equals `/users`.
///
/// It is filled again for each request and keeps its storage.
struct NormalizedPath: Sendable {
  private(set) var bytes: [UInt8] = []
  private(set) var segments: [Range<Int>] = []
  /// The index of the first byte that was percent-encoded; nil if none was.
  private var firstEncoded: Int?
  /// The number of leading segments that were labels, and no longer count.
  private(set) var labelCount = 0

  var count: Int { segments.count - labelCount }

  mutating func read(_ message: [UInt8], _ range: Range<Int>) {
    bytes.removeAll(keepingCapacity: true)
    segments.removeAll(keepingCapacity: true)
    labelCount = 0
    firstEncoded = nil
    var start = 0
    var index = range.lowerBound
    while index < range.upperBound {
      let byte = message[index]
      index += 1
      switch byte {
      case UInt8(ascii: "/"):
        close(&start)
      case UInt8(ascii: "%"):
        let decoded = PercentCoding.decodedBytes(message[index - 1..<min(index + 2, range.upperBound)])
        // One that encodes nothing stands for itself.
        guard decoded.count == 1, index + 2 <= range.upperBound else {
          bytes.append(byte)
          continue
        }
        firstEncoded = firstEncoded ?? bytes.count
        bytes += decoded
        index += 2
      default:
        bytes.append(byte)
      }
    }
    close(&start)
  }

  private mutating func close(_ start: inout Int) {
    if bytes.count > start { segments.append(start..<bytes.count) }
    start = bytes.count
  }

  /// The name of the first remaining segment if that may be a label, such as `@booking`.
  var label: String? {
    guard count > 0 else { return nil }
    let segment = segments[labelCount]
    guard bytes[segment.lowerBound] == UInt8(ascii: "@") else { return nil }
    return String(decoding: bytes[segment.dropFirst()], as: UTF8.self)
  }

  /// Returns true if a segment has exactly these bytes, none of which was percent-encoded.
  func segment(_ index: Int, isWritten literal: [UInt8]) -> Bool {
    segment(index, equals: literal) && (firstEncoded ?? .max) >= segments[labelCount + index].upperBound
  }

  /// Removes the first remaining segment, which is a label.
  mutating func dropLabel() { labelCount += 1 }

  /// Removes the first remaining segment if it is a label, and returns its name.
  mutating func takeLabel() -> String? {
    guard let label else { return nil }
    dropLabel()
    return label
  }

  /// True if a segment is a label, or looks like one.
  var hasLabels: Bool { labelCount > 0 || label != nil }

  /// Returns the decoded text of a segment, counted after the labels.
  func text(_ index: Int) -> String { String(decoding: bytes[segments[labelCount + index]], as: UTF8.self) }

  /// Returns true if a segment has exactly these bytes.
  func segment(_ index: Int, equals literal: [UInt8]) -> Bool {
    let segment = segments[labelCount + index]
    guard segment.count == literal.count else { return false }
    for offset in 0..<literal.count where bytes[segment.lowerBound + offset] != literal[offset] { return false }
    return true
  }

  /// The path with normalized labels, slashes and encoding: the name of a stream of requests.
  var canonical: String {
    var text = ""
    for index in 0..<count { text += "/" + self.text(index) }
    return text.isEmpty ? "/" : text
  }
}

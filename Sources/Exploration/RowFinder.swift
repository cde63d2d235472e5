package import Faults
import Primitives
package import Understudy

/// The rows that two calm runs of a command have in common.
package struct ExploredRows: Sendable {
  package private(set) var rows: [ExploredRow] = []
  /// The requests that are no rows, as sentences: none of them is silently taken for tested.
  package private(set) var remarks: [String] = []
  /// The number of requests of the first run with a path to explore.
  package let matchingCount: Int

  /// The requests that are counted together.
  private struct Stream: Hashable {
    let api: String
    /// Nil for any sandbox.
    let sandbox: String?
    let method: String
    let path: String
    let operation: String?
  }

  /// A request of the first run, at its place in it.
  private typealias Found = (position: Int, row: ExploredRow)

  /// - Parameters:
  ///   - first: The requests of the first calm run, in the order of their arrival.
  ///   - second: Those of the second.
  ///   - only: The paths to explore; nil for all.
  ///   - isComplete: True for a row for each request. Otherwise a stream of more than three has only its first, its second
  ///     and its last.
  package init(_ first: [ExploredRequest], _ second: [ExploredRequest], only: PathGlob? = nil, isComplete: Bool = false)
  {
    let sandboxes = Set(first.map(\.sandbox)).intersection(second.map(\.sandbox))
    func stream(_ request: ExploredRequest) -> Stream {
      Stream(
        api: request.api, sandbox: sandboxes.contains(request.sandbox) ? request.sandbox : nil, method: request.method,
        path: request.path, operation: request.operation)
    }
    func isExplored(_ request: ExploredRequest) -> Bool { only?.matches(request.path) ?? true }
    let (before, after) = (first.filter(isExplored), second.filter(isExplored))
    matchingCount = before.count
    let (streams, others) = (before.map(stream), after.map(stream))
    let patterns = Patterns(before.map(\.path), after.map(\.path))
    let (here, there) = (Set(streams), Set(others))
    // A path that does not come again is matched by its pattern.
    let rowStreams = streams.map { stream in
      guard !there.contains(stream) else { return stream }
      let anew = others.filter {
        !here.contains($0) && $0.method == stream.method && $0.api == stream.api && $0.operation == stream.operation
      }
      let pattern = patterns.pattern(of: stream.path, among: anew.map(\.path))
      return Stream(
        api: stream.api, sandbox: stream.sandbox, method: stream.method, path: pattern ?? stream.path,
        operation: stream.operation)
    }
    var found: [Found] = []
    for stream in rowStreams.distinct() {
      let isPattern = !here.contains(stream)
      let glob = isPattern ? PathGlob(stream.path) : nil
      func isCounted(_ other: Stream) -> Bool {
        guard other.api == stream.api, other.method == stream.method else { return false }
        guard stream.sandbox == nil || other.sandbox == stream.sandbox else { return false }
        // A rule without a name matches all operations of the path.
        guard stream.operation == nil || other.operation == stream.operation else { return false }
        return glob?.matches(other.path) ?? (other.path == stream.path)
      }
      let counted = streams.indices.filter { isCounted(streams[$0]) }
      let again = others.indices.filter { isCounted(others[$0]) }
      let own = counted.enumerated().filter { rowStreams[$0.element] == stream }
      let lost = own.count { $0.offset >= again.count }
      let overlaps = zip(Self.overlaps(counted.map { before[$0] }), Self.overlaps(again.map { after[$0] })).map {
        $0 || $1
      }
      let name = "\(stream.method) \(stream.path)" + (stream.operation.map { " (\($0))" } ?? "")
      let isMixed = counted.contains { streams[$0].operation != stream.operation }
      if lost > 0 {
        let times = lost == 1 ? "1 request" : "\(lost) requests"
        remarks.append(
          "\(name): \(times) of the first calm run did not come again in the second, and \(lost == 1 ? "is" : "are") not explored"
        )
      }
      guard lost < own.count else { continue }
      if let obstacle = Self.obstacle(to: stream.method, stream.path, isPattern: isPattern) {
        remarks.append("\(name) is not explored: \(obstacle)")
        continue
      }
      let rows = own.prefix(own.count - lost).map { ordinal, position in
        let request = before[position]
        let row = ExploredRow(
          api: stream.api, sandbox: stream.sandbox, method: stream.method, path: stream.path,
          operation: stream.operation, n: ordinal + 1, counting: isPattern || isMixed ? .rule : .path,
          isWrite: request.isWrite, overlaps: overlaps[ordinal], hasContent: request.hasContent, target: "")
        return (position, row)
      }
      found += isComplete || rows.count <= 3 ? rows : [rows[0], rows[1], rows[rows.count - 1]]
    }
    rows = found.sorted { $0.position < $1.position }.map(\.row)
    nameTargets()
  }

  /// Returns for each of some requests, in the order of their arrival, if another of them was under way at the same time.
  private static func overlaps(_ requests: [ExploredRequest]) -> [Bool] {
    var latestEnd = 0
    return requests.indices.map { index in
      let request = requests[index]
      defer { latestEnd = max(latestEnd, request.end) }
      let next = index + 1 < requests.count ? requests[index + 1].arrival : .max
      return request.arrival < latestEnd || next < request.end
    }
  }

  /// Returns the reason why no rule can name a request; nil if one can.
  private static func obstacle(to method: String, _ path: String, isPattern: Bool) -> String? {
    if !Match.knownMethods.contains(method) { return "no rule can match the method" }
    if !isPattern, path.contains("*") { return "in a rule its * would match any text" }
    return PathGlob(path) == nil ? "the path is too long for a rule" : nil
  }

  /// Adds the label of the API to targets that rows of several APIs have.
  private mutating func nameTargets() {
    var apis: [String: Set<String>] = [:]
    for row in rows { apis[row.plainTarget, default: []].insert(row.api) }
    for index in rows.indices {
      let isUnique = apis[rows[index].plainTarget]?.count == 1
      rows[index].target = isUnique ? rows[index].plainTarget : rows[index].targetWithAPI
    }
  }
}

/// The patterns of paths that a command makes anew in each run.
private struct Patterns {
  private let recorded: RecordedPaths

  init(_ first: [String], _ second: [String]) {
    // Beside a literal star any other name would be taken for a record's.
    recorded = RecordedPaths((first + second).filter { !$0.contains("*") })
  }

  /// Returns the pattern of a path of the first run that matches a path of the second; nil if none does.
  ///
  /// - Parameter others: The paths of the second run that are not in the first.
  func pattern(of path: String, among others: [String]) -> String? {
    guard !path.contains("*") else { return nil }
    let pattern = recorded.glob(of: path)
    if pattern != path, let glob = PathGlob(pattern), others.contains(where: glob.matches) { return pattern }
    // A name that looks like a word: the paths differ in it alone.
    let segments = path.split(separator: "/")
    for other in others {
      let otherSegments = other.split(separator: "/")
      guard otherSegments.count == segments.count else { continue }
      let differing = segments.indices.filter { segments[$0] != otherSegments[$0] }
      guard differing.count == 1, let index = differing.first else { continue }
      return segments.enumerated().map { "/" + ($0.offset == index ? "*" : $0.element) }.joined()
    }
    return nil
  }
}

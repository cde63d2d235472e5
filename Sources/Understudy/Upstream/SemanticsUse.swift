import Faults
import JSON

/// The use of a file of semantics: to how many requests each of its rules has applied.
struct SemanticsUse: Sendable {
  /// The numbers of requests, by the index of their rule.
  private(set) var counts: [Int]
  /// The number of requests of which it was not known whether a rule applies.
  private(set) var undeclaredCount = 0
  private var undeclaredReason = ""
  /// Methods and paths of requests about which the file has no rule, to find the ones that a misspelt rule means.
  private var otherRoutes: Set<String> = []

  private static let maximumOtherRoutes = 256

  init(_ semantics: Semantics) { counts = Array(repeating: 0, count: semantics.rules.count) }

  /// Counts a request to the backend.
  mutating func count(_ route: ResolvedRoute) {
    guard !counts.isEmpty, route.operation != nil else { return }
    if let rule = route.rule {
      counts[rule] += 1
    } else if let reason = route.undeclaredReason {
      (undeclaredCount, undeclaredReason) = (undeclaredCount + 1, reason)
    } else if route.candidates.isEmpty, otherRoutes.count < Self.maximumOtherRoutes {
      otherRoutes.insert("\(route.stream.method) \(route.stream.path)")
    }
  }

  /// Returns a sentence for each rule that applied to no request, and one about requests that could not be declared.
  func notices(about semantics: Semantics) -> [String] {
    let unused = semantics.rules.indices.filter { counts[$0] == 0 }.map { index in
      let rule = semantics.rules[index]
      let near = Spelling.nearest(to: rule.match.text, among: otherRoutes.sorted(), within: 3)
      return "rule \(index + 1) of --semantics (\(rule.description)) applied to no request"
        + (near.map { "; did you mean \($0)?" } ?? "")
    }
    guard undeclaredCount > 0 else { return unused }
    let requests = undeclaredCount == 1 ? "1 request" : "\(undeclaredCount) requests"
    return unused + ["--semantics could not be applied to \(requests): \(undeclaredReason)"]
  }
}

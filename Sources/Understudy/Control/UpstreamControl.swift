import Contract
import ControlAPI
import Faults
import JSON
import Services

extension ControlService {
  /// Returns the backend, what became of the requests to it, and the use of the file of semantics.
  static func getUpstream(_ command: Command) -> Response {
    let application = command.application
    let configuration = application.upstream?.configuration
    let (use, counts) = (application.semanticsUse, application.upstreamCounts)
    let rules = zip(configuration?.semantics.rules ?? [], use.counts).map { rule, count in
      var members: [JSONValue.Member] = [JSONValue.Member("match", .string(rule.match.text))]
      if !rule.conditions.isEmpty {
        let parts = rule.conditions.map { JSONValue.Member($0.text, .string($0.pattern.text)) }
        members.append(JSONValue.Member("where", .object(JSONValue.Object(parts))))
      }
      if let name = rule.name { members.append(JSONValue.Member("name", .string(name))) }
      members.append(JSONValue.Member("effect", .string(rule.effect.rawValue)))
      members.append(JSONValue.Member("requests", .int(count)))
      return JSONValue.object(JSONValue.Object(members))
    }
    return Response(
      200,
      Representation([
        "url": configuration.map { JSONValue.string($0.name) } ?? .null,
        "reachable": counts.isReachable.map(JSONValue.bool) ?? .null,
        "answered": .int(counts.answered), "failed": .int(counts.failed), "late": .int(counts.late),
        "undeclared": .int(use.undeclaredCount), "semantics": .array(rules),
      ]))
  }
}

/// The outcomes of the questions to the backend.
struct UpstreamCounts: Sendable {
  private(set) var answered = 0
  private(set) var failed = 0
  /// The number of answers that came after their client had left.
  private(set) var late = 0
  /// True if the backend accepted the last connection; nil before the first.
  private(set) var isReachable: Bool?

  mutating func count(_ outcome: UpstreamOutcome, isLate: Bool) {
    // Its client left before the backend was asked to the end.
    guard outcome.status != nil || outcome.failure != nil else { return }
    if outcome.failure == nil { answered += 1 } else { failed += 1 }
    if isLate { late += 1 }
    isReachable = outcome.failure != .unreachable
  }
}

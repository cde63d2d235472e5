import JSON

@testable import Faults

extension RequestKey {
  static let patch = RequestKey(api: "devices", method: "PATCH", path: "/devices/WWM-0001-12")
  static let list = RequestKey(api: "devices", method: "GET", path: "/devices")
}

extension RequestContext {
  static func patch(_ n: Int, elapsed: Duration = .zero) -> RequestContext {
    RequestContext(stream: .patch, position: .ordinal(n), changes: true, elapsed: elapsed)
  }

  static func list(_ n: Int, elapsed: Duration = .zero) -> RequestContext {
    RequestContext(stream: .list, position: .ordinal(n), changes: false, elapsed: elapsed)
  }
}

extension Effect {
  static let reset = Effect(Reset(events: nil))
}

extension Scenario {
  init(_ rules: Rule...) { self.init(name: "test", rules: rules) }

  init(parsing text: String, operations: [OperationContext] = []) throws {
    try self.init(json: JSONValue(parsing: text), operations: operations)
  }
}

extension ArmedScenario {
  /// Returns the plan of a first request.
  func fresh(_ context: RequestContext, header: (String) -> String? = { _ in nil }) -> Plan {
    var state = ScenarioCounters(self)
    return plan(for: context, state: &state, header: header)
  }
}

extension OperationContext {
  static let sample = [
    OperationContext(api: "devices", method: "GET", path: "/devices", changes: false),
    OperationContext(api: "devices", method: "PATCH", path: "/devices/{id}", changes: true),
    OperationContext(api: "house", method: "GET", path: "/{room}/{fixture}/on", changes: true),
    OperationContext(api: "house", method: "GET", path: "/weather/cold", changes: false),
  ]
}

/// Independent draws, for tests that need many.
func draws(_ count: Int) -> [UInt64] {
  let hash = SeededHash(seed: 99)
  return (0..<count).map { hash.folding(UInt64($0)).draw(.latency) }
}

extension Glob {
  func matches(_ candidate: String) -> Bool { matches(Array(candidate.utf8)) }
}

/// The effect of a `Prefer` field on one request.
struct Preferred: Equatable {
  let plan: Plan?
  let applied: String?
  let notUnderstood: String?

  /// Returns nil if no preference in the field belongs to the server.
  init?(_ text: String, for context: RequestContext, seed: UInt64) {
    let field = PreferenceField(text, changes: context.changes, seed: seed)
    guard !field.isForeign else { return nil }
    (plan, applied, notUnderstood) = (field.plan(for: context), field.applied, field.notUnderstood)
  }
}

import Contract
import ControlAPI
import Faults
import JSON
import Services

/// A requested sandbox, with its scenario and data parsed and validated. This takes long and does not need the application,
/// so it is done off the loop.
struct SandboxDraft: Sendable {
  let body: JSONValue
  /// The scenario, and its seed if it has one; nil if the body has none.
  let given: (scenario: Scenario, seed: UInt64?)?
  /// The time at which its initial state was made.
  let now: Instant
  /// Its initial data, or the error in it.
  let data: Result<(seeds: SeedData, store: Store), Problem>

  /// Parses and validates a body.
  ///
  /// - Parameters:
  ///   - seeds: The server's data.
  ///   - target: The requests to which its scenario is to apply.
  init(
    _ bytes: ArraySlice<UInt8>, from seeds: SeedData, for target: Scenarios.Target, at now: Instant
  ) throws(Problem) {
    let body: JSONValue = bytes.isEmpty ? [:] : try Problem.decode(bytes, as: .object([], additional: .allowed))
    // The scenario's own parser describes errors best, so it precedes the schema.
    given = try body["scenario"].map { given throws(Problem) in
      try ControlService.scenario(given, at: .root / "scenario", for: target)
    }
    try Problem.check(body, against: .sandboxRequest)
    if target.isUpstream, let member = ["api", "data"].first(where: { body[$0] != nil }) {
      throw .stateOfUpstream("The member \(member) of a sandbox")
    }
    self.body = body
    self.now = now
    data = Result { () throws(Problem) in
      let merged = try seeds.merging(body["data"] ?? [:])
      return (merged, Store(merged, at: now))
    }
  }
}

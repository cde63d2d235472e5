import Contract
import Faults
import JSON

/// A sandbox that is asked for, its scenario and data read and checked: everything about it that takes long, and needs no backend.
struct SandboxDraft: Sendable {
  let body: JSON
  /// The scenario and the seed that it gives with it; nil where the body has none.
  let given: (scenario: Scenario, seed: UInt64?)?
  /// When its state was made.
  let now: Instant
  /// The data it starts from; an error where that does not fit.
  let data: Result<(seeds: SeedData, store: Store), Problem>

  /// - Parameter seeds: The server's data.
  init(_ bytes: ArraySlice<UInt8>, from seeds: SeedData, at now: Instant) throws(Problem) {
    let body: JSON = bytes.isEmpty ? [:] : try Problem.decode(bytes, as: .object([], additional: .allowed))
    // The scenario's own reader says best what is wrong with one, so it comes before the schema.
    given = try body["scenario"].map { given throws(Problem) in
      try ControlBehaviour.scenario(given, at: .root / "scenario")
    }
    try Problem.check(body, against: .sandboxRequest)
    self.body = body
    self.now = now
    data = Result { () throws(Problem) in
      let merged = try seeds.merging(body["data"] ?? [:])
      return (merged, Store(merged, at: now))
    }
  }
}

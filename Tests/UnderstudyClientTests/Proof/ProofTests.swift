import Foundation
import Fuzzing
import LiveTesting
import Testing
import Understudy

@testable import UnderstudyClient

/// The proof that the client library passes the checks of the report.
///
/// `UNDERSTUDY_PROOF_SEEDS` is the number of seeds, and `UNDERSTUDY_PROOF_SCENARIO` selects one scenario. Without them
/// there is one seed and a short storm, and every second scenario unless the complete proof is required.
/// `UNDERSTUDY_PROOF_JOURNALS` is a directory for the journals of failed days.
@Suite("The proof", .drawn)
struct ProofTests {
  /// More at a time would only make the machine the one that is slow; most of a trial is waiting.
  static let parallelism = 30
  private static let environment = ProcessInfo.processInfo.environment

  @Test("under each scenario server and client agree at the end, and the card has no fail")
  func everyScenario() async throws {
    let seeds = Self.environment["UNDERSTUDY_PROOF_SEEDS"].flatMap { Int($0) }
    let all = MockServer.scenarios.map(\.name)
    let names =
      Self.environment["UNDERSTUDY_PROOF_SCENARIO"].map { [$0] }
      ?? (seeds == nil ? WholeProof.sample(every: 2, of: all) : all)
    let trials = (1...max(1, seeds ?? 1)).flatMap { seed in
      names.map { AttemptKind(scenario: $0, seed: seed, storm: seeds == nil ? .seconds(6) : .seconds(45)) }
    }
    var table = ProofTable(names)
    try await Self.each(trials) { trial, outcome in
      for complaint in outcome.complaints { Issue.record("\(trial.scenario), seed \(trial.seed): \(complaint)") }
      table.add(outcome, of: trial.scenario)
    }
    print(table.text)
  }

  private static func each(_ trials: [AttemptKind], _ take: (AttemptKind, AttemptKind.Outcome) -> Void) async throws {
    try await withThrowingTaskGroup(of: (AttemptKind, AttemptKind.Outcome).self) { group in
      for (number, trial) in trials.enumerated() {
        if number >= parallelism, let done = try await group.next() { take(done.0, done.1) }
        group.addTask { (trial, try await trial.run()) }
      }
      for try await done in group { take(done.0, done.1) }
    }
  }
}

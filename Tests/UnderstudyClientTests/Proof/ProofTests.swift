import Foundation
import LiveTesting
import Testing
import Understudy

@testable import UnderstudyClient

/// The proof that the client library passes the checks of the report.
///
/// The complete proof of each app by itself is 1,600 days, and takes some four minutes of two processors.
/// `UNDERSTUDY_PROOF_SEEDS` is the number of seeds, and `UNDERSTUDY_PROOF_SCENARIO` selects one scenario. Without them
/// there is one seed and a short storm, and every second scenario unless the complete proof is required.
/// `UNDERSTUDY_PROOF_JOURNALS` is a directory for the journals of failed days.
@Suite("The client library", .drawn, .temporaryFiles)
struct ProofTests {
  /// The number of concurrent trials. They mostly wait; more of them would slow the machine down.
  static let parallelism = 30
  private static let environment = ProcessInfo.processInfo.environment

  @Test("agrees with the server at the end of each scenario, and fails no check")
  func everyScenario() async throws {
    let seeds = Self.environment["UNDERSTUDY_PROOF_SEEDS"].flatMap { Int($0) }
    let all = MockServer.scenarios.map(\.name)
    let names =
      Self.environment["UNDERSTUDY_PROOF_SCENARIO"].map { [$0] }
      ?? (seeds == nil ? WholeProof.sample(every: 2, of: all) : all)
    let trials = (1...max(1, seeds ?? 1)).flatMap { seed in
      names.map { Trial(scenario: $0, seed: seed, storm: seeds == nil ? .seconds(6) : .seconds(45)) }
    }
    var table = ProofTable(names)
    try await Self.each(trials) { trial, outcome in
      for complaint in outcome.complaints { Issue.record("\(trial.name): \(complaint)") }
      table.add(outcome, of: trial.scenario)
    }
    print(table.text)
  }

  /// `UNDERSTUDY_PROOF_SEEDS=20` is the proof of the page about the five briefs, and takes some minutes.
  @Test("each app by itself has no fail on its card, under each scenario", arguments: App.allCases)
  func eachApp(app: App) async throws {
    let seeds = Self.environment["UNDERSTUDY_PROOF_SEEDS"].flatMap { Int($0) } ?? WholeProof.rounds(1, of: 2)
    let all = MockServer.scenarios.map(\.name)
    let names =
      Self.environment["UNDERSTUDY_PROOF_SCENARIO"].map { [$0] } ?? WholeProof.sample(every: 9, of: all)
    let trials = (1...max(1, seeds)).flatMap { seed in
      names.map { Trial(scenario: $0, seed: seed, apps: [app], storm: .seconds(6)) }
    }
    var table = ProofTable(names)
    try await Self.each(trials) { trial, outcome in
      for complaint in outcome.complaints { Issue.record("\(trial.name): \(complaint)") }
      table.add(outcome, of: trial.scenario)
    }
    print("\(app.rawValue)\n\(table.text)")
  }

  private static func each(_ trials: [Trial], _ take: (Trial, Trial.Outcome) -> Void) async throws {
    try await withThrowingTaskGroup(of: (Trial, Trial.Outcome).self) { group in
      for (number, trial) in trials.enumerated() {
        if number >= parallelism, let done = try await group.next() { take(done.0, done.1) }
        group.addTask { (trial, try await trial.run()) }
      }
      for try await done in group { take(done.0, done.1) }
    }
  }
}

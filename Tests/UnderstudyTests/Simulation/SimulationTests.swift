import Foundation
import LiveTesting
import Primitives
import Testing

@testable import Understudy

/// Simulations of the whole server, which depend on nothing but the seed.
///
/// `UNDERSTUDY_SIMULATIONS=100000` runs more of them, and `UNDERSTUDY_SEED=17` one alone.
@Suite("Simulations of the whole server")
struct SimulationTests {
  private static let environment = ProcessInfo.processInfo.environment
  private static let usual: UInt64 = UInt64(WholeProof.rounds(200, of: 2_000))
  private static let count = environment["UNDERSTUDY_SIMULATIONS"].flatMap { UInt64($0) } ?? usual
  private static let single = environment["UNDERSTUDY_SEED"].flatMap { UInt64($0) }
  private static let shares: UInt64 = 4

  @Test("have bytes, journals and states that agree, for every seed", arguments: 0..<shares)
  func agreement(share: UInt64) throws {
    var failures = 0
    for seed in Self.single.map({ share == 0 ? [$0] : [] }) ?? Array(stride(from: share, to: Self.count, by: 4)) {
      let simulation = try Simulation(seed: seed)
      simulation.run()
      guard !simulation.findings.isEmpty else { continue }
      failures += 1
      let findings = simulation.findings.joined(separator: "\n")
      let trace = failures == 1 ? "\n" + simulation.trace : ""
      Issue.record("UNDERSTUDY_SEED=\(seed)\n\(findings)\(trace)")
      if failures == 3 { return }
    }
  }

  @Test("send the same bytes at the same times for the same seed", arguments: 0..<UInt64(20))
  func determinism(seed: UInt64) throws {
    let runs = try [Simulation(seed: seed), Simulation(seed: seed)]
    for run in runs { run.run() }
    #expect(runs[0].fingerprint == runs[1].fingerprint, "seed \(seed)")
  }
}

import Foundation

/// Inputs made from valid ones by seeded damage. They are the same on every machine.
///
/// Each round has its own generator, so that the seed and the round's number reproduce a failure.
package struct Fuzz: Sendable {
  private let name: String
  private let seed: UInt64
  package let rounds: Int

  /// Creates a target.
  ///
  /// - Parameters:
  ///   - name: The damaged input, for the line with the number of rounds.
  ///   - rounds: The number of rounds in the gate; `swift test` runs a quarter of them.
  package init(_ name: String, seed: UInt64 = 1, rounds: Int) {
    self.name = name
    self.seed = Self.otherSeed ?? seed
    self.rounds = WholeProof.rounds(rounds / 4, of: rounds)
  }

  /// The seed that replaces the target's own, from `UNDERSTUDY_FUZZ_SEED`.
  private static let otherSeed = ProcessInfo.processInfo.environment["UNDERSTUDY_FUZZ_SEED"].map { text in
    guard let seed = UInt64(text) else {
      preconditionFailure("UNDERSTUDY_FUZZ_SEED: expected a whole number, found \(text)")
    }
    return seed
  }

  /// The additional time for each target, from `UNDERSTUDY_FUZZ_SECONDS`.
  private static let longer = ProcessInfo.processInfo.environment["UNDERSTUDY_FUZZ_SECONDS"].map { text in
    guard let seconds = Int(text), seconds >= 0 else {
      preconditionFailure("UNDERSTUDY_FUZZ_SECONDS: expected whole seconds, found \(text)")
    }
    return Duration.seconds(seconds)
  }

  /// Runs `body` with one generator after another.
  ///
  /// - Parameter body: Makes an input and checks it. It gets a description of the round for its messages.
  package func run(_ body: (inout FuzzRandom, String) throws -> Void) rethrows {
    let start = ContinuousClock.now
    var round = 0
    while round < rounds || Self.longer.map({ ContinuousClock.now - start < $0 }) == true {
      var random = FuzzRandom(seed: seed &* 0x2545_F491_4F6C_DD1D &+ UInt64(round))
      try body(&random, "\(name), seed \(seed), round \(round)")
      round += 1
    }
    guard Self.longer != nil else { return }
    print("fuzzed \(name), seed \(seed): \(round) inputs in \((ContinuousClock.now - start).components.seconds) s")
  }
}

/// A generator whose numbers are the same on every machine (Steele, Lea and Flood 2014).
package struct FuzzRandom: RandomNumberGenerator {
  private var state: UInt64

  package init(seed: UInt64) { state = seed }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// Returns true once in `count` times on average.
  package mutating func oneIn(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &self) == 0 }
}

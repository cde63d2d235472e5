import Foundation
package import Testing

/// The seed of the tests whose random numbers differ from run to run; `UNDERSTUDY_TEST_SEED` sets it.
package enum RunSeed {
  package static let value: UInt64 = {
    guard let text = ProcessInfo.processInfo.environment["UNDERSTUDY_TEST_SEED"] else {
      return .random(in: 0...999_999)
    }
    guard let seed = UInt64(text) else {
      preconditionFailure("UNDERSTUDY_TEST_SEED: expected a whole number, found \(text)")
    }
    return seed
  }()

  fileprivate static var note: String { "drawn with UNDERSTUDY_TEST_SEED=\(value)" }
}

extension FuzzRandom {
  /// Creates a generator.
  ///
  /// - Parameter stream: The number of the generator within the run.
  package init(ofRun stream: UInt64) { self.init(seed: RunSeed.value &* 0x2545_F491_4F6C_DD1D &+ stream) }
}

/// A random number generator that concurrent tasks share.
package final class SharedRandom: @unchecked Sendable {
  private let lock = NSLock()
  private var random: FuzzRandom

  package init(ofRun stream: UInt64) { random = FuzzRandom(ofRun: stream) }

  package func integer(in range: ClosedRange<Int>) -> Int { lock.withLock { Int.random(in: range, using: &random) } }

  /// Returns a number of at least 0 and less than 1.
  package func fraction() -> Double { lock.withLock { Double.random(in: 0..<1, using: &random) } }
}

#if compiler(>=6.3)
  extension Trait where Self == IssueHandlingTrait {
    /// Adds the run's seed to each failure of the test.
    package static var drawn: Self {
      .compactMapIssues { issue in
        var issue = issue
        issue.comments.append("\(RunSeed.note)")
        return issue
      }
    }
  }
#else
  /// Prints the seed of the run, because it cannot be added to a failure.
  package struct DrawnTrait: SuiteTrait, TestTrait {
    package func prepare(for test: Test) async throws { print("\(test.name): \(RunSeed.note)") }
  }

  extension Trait where Self == DrawnTrait {
    package static var drawn: Self { DrawnTrait() }
  }
#endif

import Faults
import LiveTesting
import Testing

@testable import Report
@testable import Understudy

@Suite("The report on a planted mistake in front of a backend", .busy)
struct MistakesBeforeBackendTests {
  /// The highest verdict on a mistake in front of a backend, where that is lower than alone.
  private struct Limit {
    /// Without a file of semantics, and with one.
    let undeclared, declared: Verdict
    let reason: String

    static let unknownState = Limit(
      undeclared: .notExercised, declared: .notExercised, reason: "the state of the backend is not known")
    static let undeclaredEffect = Limit(
      undeclared: .warn, declared: .fail, reason: "only a file can say that the request adds something each time")
    static let writeBySafeMethod = Limit(
      undeclared: .notExercised, declared: .fail, reason: "GET is safe, unless a file says otherwise")
    static let twoPaths = Limit(
      undeclared: .notExercised, declared: .notExercised, reason: "two paths are two records to an unknown API")
    static let unknownReads = Limit(
      undeclared: .warn, declared: .fail,
      reason: "another path may tell the client, too, unless a file says what it does")
  }

  /// Returns the highest verdict on a mistake; nil if that is the one that it has alone.
  private static func limit(of mistake: PlantedMistake) -> Limit? {
    switch (mistake.peculiarity, mistake.check) {
    case (.safeMethod, _): .writeBySafeMethod
    case (.twoPaths, _): .twoPaths
    case (.settingMethod, _): nil
    case (_, LostUpdate.id), (_, PollingInterval.id), (_, StreamResumed.id): .unknownState
    case (_, NoDuplicateEffect.id): .undeclaredEffect
    case (_, LostReplyFollowedUp.id), (_, DamagedReplyTrusted.id): .unknownReads
    default: nil
    }
  }

  @Test(
    "has the verdict that it has without one, or the lower one of a check that knows less",
    arguments: WholeProof.sample(every: 6, of: PlantedMistake.all), [true, false])
  func verdicts(mistake: PlantedMistake, isNamed: Bool) throws {
    let limit = Self.limit(of: mistake)
    let alone = try Self.verdict(on: mistake, isNamed, nil)
    for isDeclared in [false, true] {
      let found = try Self.verdict(on: mistake, isNamed, isDeclared ? .ofFiveAPIs : Semantics.none)
      // A backend reads the whole of a request that is too large, so the connection stays open, all attempts are on it, and the
      // verdict is certain without a name, too.
      let highest = limit.map { isDeclared ? $0.declared : $0.undeclared } ?? .fail
      let expected = mistake.peculiarity == .readContent ? .fail : min(alone, highest)
      let reason = limit?.reason ?? "it is judged fully"
      #expect(found == expected, "\(mistake.check), alone \(alone.rawValue), declared: \(isDeclared); \(reason)")
    }
  }

  private static func verdict(
    on mistake: PlantedMistake, _ isNamed: Bool, _ semantics: Semantics?
  ) throws -> Verdict {
    let run = try LaboratoryRun.faultyRun(
      with: mistake, seed: 0, recordsLines: false, inFrontOf: semantics, isNamed: isNamed)
    let cards = try #require(run.finish(), "the run does not come to its end")
    return try #require(cards.verdict(of: mistake.check))
  }
}

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
    static let unknownReads = Limit(
      undeclared: .warn, declared: .warn, reason: "another path may tell the client, too, and no file can exclude that")
  }

  private static let limits: [String: Limit] = {
    var limits = [
      "books by GET, and again after a lost reply": Limit(
        undeclared: .notExercised, declared: .fail, reason: "GET is safe, unless a file says otherwise"),
      "booksTwiceByAnotherPath": Limit(
        undeclared: .notExercised, declared: .notExercised, reason: "two paths are two records to an unknown API"),
    ]
    for mistake in PlantedMistake.all where limits[mistake.testDescription] == nil {
      switch mistake.check {
      case LostUpdate.id, PollingInterval.id, StreamResumed.id: limits[mistake.testDescription] = .unknownState
      case NoDuplicateEffect.id: limits[mistake.testDescription] = .undeclaredEffect
      case LostReplyFollowedUp.id, DamagedReplyTrusted.id: limits[mistake.testDescription] = .unknownReads
      default: break
      }
    }
    return limits
  }()

  /// A mistake on which the verdict is certain without a name, too: a backend reads the whole request that is too large, so
  /// the connection stays open, and all attempts are on it.
  private static let certainWithoutName = "sends what is too large again and again"

  @Test(
    "has the verdict that it has without one, or the lower one of a check that knows less",
    arguments: WholeProof.sample(every: 6, of: PlantedMistake.all), [true, false])
  func verdicts(mistake: PlantedMistake, isNamed: Bool) throws {
    let name = mistake.testDescription
    let alone = try Self.verdict(on: mistake, isNamed, nil)
    for isDeclared in [false, true] {
      let found = try Self.verdict(on: mistake, isNamed, isDeclared ? .ofFiveAPIs : Semantics.none)
      let limit = Self.limits[name].map { isDeclared ? $0.declared : $0.undeclared } ?? .fail
      let expected = name == Self.certainWithoutName ? .fail : min(alone, limit)
      let reason = Self.limits[name]?.reason ?? "it is judged fully"
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

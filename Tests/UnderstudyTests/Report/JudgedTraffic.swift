import Primitives

@testable import Report

/// A runner of the checks with a list of observations in place of a journal.
struct JudgedTraffic {
  private var runner = CheckRunner()
  private var observations: [Int: Observation] = [:]

  var waitingCount: Int { runner.waiting.count }
  var exchanges: Int { runner.exchanges }
  var history: History { runner.history(rest) }
  var timeline: [LogicalRequest] { runner.findings(CheckContext(now: MonotonicInstant(nanoseconds: 0)), rest).timeline }

  /// The exchanges that wait for an earlier one.
  private var rest: [Observation] { runner.waiting.compactMap { observations[$0] } }

  mutating func begin(_ id: Int) { runner.begin(id) }

  mutating func observe(_ seen: Observation, _ target: ArraySlice<UInt8>) {
    observations[seen.id] = seen
    observations[seen.id]?.target = target.prefix(CheckRunner.maximumTargetBytes)
    runner.end(
      seen.id, isStruck: seen.isPlanned && seen.outcome != .notDeliverable, isReplay: seen.replayOf != nil)
    if runner.isBatchComplete { judge() }
  }

  mutating func judge() {
    runner.judge { [observations] id, seen in seen = Self.observation(id, in: observations) }
    discardJudged()
  }

  mutating func record(_ event: SandboxEvent) {
    runner.record(event) { [observations] id, seen in seen = Self.observation(id, in: observations) }
    discardJudged()
  }

  func findings(_ context: CheckContext) -> [(id: String, finding: Finding)] { runner.findings(context, rest).findings }

  private static func observation(_ id: Int, in observations: [Int: Observation]) -> Observation {
    guard let observation = observations[id] else { preconditionFailure("each exchange is judged once") }
    return observation
  }

  private mutating func discardJudged() {
    let waiting = Set(runner.waiting)
    observations = observations.filter { waiting.contains($0.key) }
  }
}

import Primitives

@testable import Report

/// A runner of the checks with a list of observations in place of a journal.
struct JudgedTraffic {
  private var runner = CheckRunner()
  private var queue = JudgingQueue()
  private var observations: [Int: Observation] = [:]

  var waitingCount: Int { queue.waiting.count }
  var exchanges: Int { runner.completed(with: rest).exchanges }
  var timeline: [LogicalRequest] {
    runner.completed(with: rest).findings(CheckContext(now: MonotonicInstant(nanoseconds: 0))).timeline
  }

  /// The exchanges that wait for an earlier one.
  private var rest: [Observation] { queue.waiting.compactMap { observations[$0] } }

  mutating func begin(_ id: Int) { queue.begin(id) }

  mutating func observe(_ seen: Observation, _ target: ArraySlice<UInt8>) {
    observations[seen.id] = seen
    observations[seen.id]?.target = target.prefix(CheckRunner.maximumTargetBytes)
    queue.end(seen.id)
    if queue.isBatchComplete { judge() }
  }

  mutating func judge() {
    let count = queue.readyCount
    for id in queue.waiting.prefix(count) {
      guard let seen = observations.removeValue(forKey: id) else { preconditionFailure("each exchange is judged once") }
      runner.judge(seen)
    }
    queue.removeFirst(count)
  }

  mutating func record(_ event: SandboxEvent) {
    judge()
    runner.record(event)
  }

  func findings(_ context: CheckContext) -> [(id: String, finding: Finding)] {
    runner.completed(with: rest).findings(context).findings
  }
}

import Primitives

@testable import Report

/// A runner of the checks without a journal.
struct JudgedTraffic {
  private var runner = CheckRunner()
  private var waiting = ReorderBuffer()

  var waitingCount: Int { waiting.count }
  var exchanges: Int { runner.completed(with: waiting.observations).exchanges }
  var timeline: [LogicalRequest] {
    runner.completed(with: waiting.observations).findings(CheckContext(now: MonotonicInstant(nanoseconds: 0))).timeline
  }

  mutating func begin(_ id: Int) { waiting.begin(id) }

  mutating func observe(_ seen: Observation) {
    waiting.end(seen.id)
    waiting.add(seen)
    while let next = waiting.next() { runner.judge(next) }
  }

  mutating func record(_ event: SandboxEvent) { runner.record(event) }

  func findings(_ context: CheckContext) -> [(id: String, finding: Finding)] {
    runner.completed(with: waiting.observations).findings(context).findings
  }
}

import Dispatch
import Foundation
import LiveTesting
import Testing

@testable import Understudy

@Suite("Threads for work", .live)
struct WorkersTests {
  /// The record of the threads' actions.
  private struct Record: Sendable {
    var order: [Int] = []
    var running = 0
    var maximumRunning = 0
    var finished = 0

    mutating func begin(_ number: Int) {
      order.append(number)
      running += 1
      maximumRunning = max(maximumRunning, running)
    }
  }

  @Test("a single one does all work in its order, one piece at a time")
  func order() async {
    let workers = Workers(maximumThreads: 1)
    let (record, gate) = (Locked(Record()), DispatchSemaphore(value: 0))
    for number in 0..<50 {
      workers.run({
        record.withLock { $0.begin(number) }
        if number == 0 { gate.wait() }
        Thread.sleep(forTimeInterval: 0)
        record.withLock { $0.running -= 1 }
      }) { _ in record.withLock { $0.finished += 1 } }
    }
    gate.signal()
    #expect(await eventually { record.withLock { $0.finished == 50 } })
    #expect(record.withLock { $0.order } == Array(0..<50))
    #expect(record.withLock { $0.maximumRunning } == 1)
  }

  @Test("are as many as they may be, and no more")
  func bound() async {
    let workers = Workers(maximumThreads: 2)
    let (record, gate) = (Locked(Record()), DispatchSemaphore(value: 0))
    for number in 0..<20 {
      workers.run({
        record.withLock { $0.begin(number) }
        gate.wait()
        record.withLock { $0.running -= 1 }
      }) { _ in record.withLock { $0.finished += 1 } }
    }
    #expect(await eventually { record.withLock { $0.running == 2 } })
    for _ in 0..<20 { gate.signal() }
    #expect(await eventually { record.withLock { $0.finished == 20 } })
    #expect(record.withLock { $0.maximumRunning } == 2)
  }

  @Test("come again when there is work after a rest")
  func rests() async {
    let workers = Workers(maximumThreads: 1)
    let finished = Locked(0)
    for round in 1...100 {
      workers.run({ 1 }) { count in finished.withLock { $0 += count } }
      guard await eventually({ finished.withLock { $0 == round } }) else {
        Issue.record("the work of round \(round) was not done")
        return
      }
    }
  }
}

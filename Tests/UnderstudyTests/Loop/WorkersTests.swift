import Dispatch
import Foundation
import LiveTesting
import Testing

@testable import Understudy

@Suite("Threads for work", .live)
struct WorkersTests {
  /// A record of the threads' actions.
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

  @Test("run all jobs in order, one at a time, with a maximum of one")
  func order() async {
    let workers = Workers(maximumThreads: 1)
    let (record, gate) = (Observed(Record()), DispatchSemaphore(value: 0))
    for number in 0..<50 {
      workers.run({
        record.withLock { $0.begin(number) }
        if number == 0 { gate.wait() }
        Thread.sleep(forTimeInterval: 0)
        record.withLock { $0.running -= 1 }
      }) { _ in record.withLock { $0.finished += 1 } }
    }
    gate.signal()
    #expect(await record.becomes { $0.finished == 50 })
    #expect(record.withLock { $0.order } == Array(0..<50))
    #expect(record.withLock { $0.maximumRunning } == 1)
  }

  @Test("reach their maximum number, and do not exceed it")
  func bound() async {
    let workers = Workers(maximumThreads: 2)
    let (record, gate) = (Observed(Record()), DispatchSemaphore(value: 0))
    for number in 0..<20 {
      workers.run({
        record.withLock { $0.begin(number) }
        gate.wait()
        record.withLock { $0.running -= 1 }
      }) { _ in record.withLock { $0.finished += 1 } }
    }
    #expect(await record.becomes { $0.running == 2 })
    for _ in 0..<20 { gate.signal() }
    #expect(await record.becomes { $0.finished == 20 })
    #expect(record.withLock { $0.maximumRunning } == 2)
  }

  @Test("wait for further jobs, so that not each one takes a new thread")
  func kept() async {
    let workers = Workers(maximumThreads: 1)
    let known = Observed<[Bool]>([])
    for round in 1...20 {
      workers.run({
        defer { Thread.current.threadDictionary["known"] = true }
        return Thread.current.threadDictionary["known"] != nil
      }) { isKnown in known.withLock { $0.append(isKnown) } }
      #expect(await known.becomes { $0.count == round })
    }
    // A machine that is busy for longer than a thread waits may let some end.
    #expect(known.withLock { $0.count(where: \.self) } >= 15)
  }

  @Test("end when no job comes for a while")
  func ends() async {
    weak var ended: Workers?
    let finished = Observed(0)
    do {
      let workers = Workers(maximumThreads: 2)
      ended = workers
      for _ in 0..<2 { workers.run({ 1 }) { count in finished.withLock { $0 += count } } }
    }
    #expect(await finished.becomes { $0 == 2 })
    // Each thread holds the pool until it ends.
    for _ in 0..<1_000 where ended != nil { try? await Task.sleep(for: .milliseconds(10)) }
    #expect(ended == nil)
  }
}

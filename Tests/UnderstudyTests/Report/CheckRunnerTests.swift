import Foundation
import LiveTesting
import Primitives
import Testing

@testable import Report
@testable import Understudy

@Suite("The runner of the checks")
struct CheckRunnerTests {
  @Test("exchanges give the same report card, in whatever order they end", arguments: UInt64(0)..<12)
  func orderOfEnds(seed: UInt64) {
    var traffic = Traffic()
    var hash = SplitMix64(seed: seed)
    var client = WellBehaved(seed: seed)
    for mistake in Mistake.allCases.shuffled(using: &hash).prefix(6) {
      client.play(&traffic, steps: 10, client: 8)
      mistake.play(&traffic, &hash)
      if seed % 3 == 0, mistake == .retriesRefusals { traffic.replaceState() }
    }
    #expect(traffic.findings() == traffic.findings(isInOrder: true))
  }

  @Test("an exchange that is judged again after a reset belongs to no pace of the polls before it")
  func paces() {
    var (before, after) = (History(), History())
    var seen = Observation.answered
    var facts = Facts()
    var own = Facts()
    for second in 1...5 {
      seen.arrival = MonotonicInstant(nanoseconds: Int64(second) * 1_000_000_000)
      seen.end = seen.arrival
      facts = Facts()
      before.add(seen, &facts)
    }
    #expect(facts.isBackground(since: seen.arrival) && !facts.isBackground(since: seen.arrival - .seconds(2)))
    after.add(seen, &own)
    #expect(!own.isBackground(since: seen.arrival))
  }

  @Test("exchanges that end during a hanging one are judged in order, and do not wait for its end without limit")
  func hanging() {
    var checks = JudgedTraffic()
    var seen = Observation.answered
    let count = 1_000
    for id in 1...count { checks.begin(id) }
    for id in 2...count {
      seen.id = id
      seen.identify()
      checks.observe(seen)
      #expect(checks.waitingCount <= ReorderBuffer.maximumWaiting)
    }
    seen.id = 1
    checks.observe(seen)
    #expect(checks.waitingCount == 0 && checks.exchanges == count)
  }

  @Test("an exchange that has ended is not judged while an earlier one is under way")
  func waits() {
    var checks = JudgedTraffic()
    var seen = Observation.answered
    for id in 1...2 { checks.begin(id) }
    seen.id = 2
    seen.identify()
    checks.observe(seen)
    #expect(checks.waitingCount == 1)
    seen.id = 1
    checks.observe(seen)
    #expect(checks.waitingCount == 0)
  }

  @Test("exchanges are judged in the order in which they came, in whatever order they end", arguments: UInt64(0)..<8)
  func order(seed: UInt64) {
    var hash = SplitMix64(seed: seed)
    var buffer = ReorderBuffer()
    var seen = Observation.answered
    var (underWay, ended): ([Int], [Int]) = ([], [])
    for id in 1...4_000 {
      buffer.begin(id)
      underWay.append(id)
      // Most leave at the front; now and then many are under way, and one of them is not judged.
      while !underWay.isEmpty, UInt64.random(in: 0..<100, using: &hash) < (id / 500 % 2 == 0 ? 30 : 60) {
        let isFirst = UInt64.random(in: 0..<4, using: &hash) > 0
        let gone = underWay.remove(at: isFirst ? 0 : Int.random(in: 0..<underWay.count, using: &hash))
        buffer.end(gone)
        guard gone % 9 != 0 else { continue }
        seen.id = gone
        buffer.add(seen)
        ended.append(gone)
      }
      ended.sort()
      #expect(buffer.observations.map(\.id) == ended)
      let first = underWay.first ?? .max
      let ready = max(ended.prefix { $0 < first }.count, ended.count - ReorderBuffer.maximumWaiting)
      if let id = ended.first { #expect(buffer.isFirst(id) == (id < first)) }
      var judged: [Int] = []
      while let next = buffer.next() { judged.append(next.id) }
      #expect(judged == Array(ended.prefix(ready)))
      ended.removeFirst(ready)
    }
    buffer.drop(before: 3_900)
    #expect(buffer.observations.map(\.id) == ended.filter { $0 >= 3_900 })
  }

  @Test("every declared check is in the list")
  func isComplete() throws {
    let folder = Repository.root.appending(path: "Sources/Report/Checks")
    let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
    let declared = try files.flatMap { file in
      try String(contentsOf: file, encoding: .utf8).matches(of: #/struct (\w+): ReportCheck {/#).map { String($0.1) }
    }
    #expect(declared.sorted() == CheckRunner.all.map { String(describing: type(of: $0)) }.sorted())
  }

  @Test("a hash table evicts the oldest key, however its keys collide", arguments: [1, 7, 64, 1_000])
  func table(capacity: Int) {
    var table = RecentTable<Int>(capacity: capacity)
    var known: [UInt64: Int] = [:]
    var order: [UInt64] = []
    var hash = SplitMix64(seed: UInt64(capacity))
    for step in 0..<20_000 {
      let key = UInt64.random(in: 0..<UInt64(capacity * 3), using: &hash) << (step % 2 == 0 ? 0 : 40)
      #expect(table[key] == known[key])
      if known.updateValue(step, forKey: key) == nil {
        order.append(key)
        if order.count > capacity { known[order.removeFirst()] = nil }
      }
      table[key] = step
    }
    #expect(table.count == capacity && table.values.sorted() == known.values.sorted())
  }
}

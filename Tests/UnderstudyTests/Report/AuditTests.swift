import Contract
import JSON
import Testing

@testable import Primitives
@testable import Report
@testable import Understudy

@Suite("The exactly-once audit")
struct AuditTests {
  private func operation(_ id: Int, _ kind: Character, _ value: String, _ start: Int, _ end: Int?)
    -> Linearizability.Operation
  {
    Linearizability.Operation(
      id: id, isWrite: kind == "w", value: value, start: MonotonicInstant(nanoseconds: Int64(start)),
      end: end.map { MonotonicInstant(nanoseconds: Int64($0)) })
  }

  /// Parses a history such as `w1 0-10`: action, value, begin and end; `?` for an unknown outcome.
  private func history(_ text: String) -> [Linearizability.Operation] {
    text.split(separator: ",").enumerated().map { place, item in
      let parts = item.split(separator: " ")
      let times = parts[1].split(separator: "-")
      return operation(
        place + 1, parts[0].first ?? "r", String(parts[0].dropFirst()), Int(times[0]) ?? 0, Int(times[1]))
    }
  }

  @Test(
    "accepts linearizable histories",
    arguments: [
      "w1 0-10,r1 20-30", "r0 0-10,w1 20-30,r1 40-50", "w1 0-100,r0 10-20,r1 30-40",
      "w1 0-100,w2 0-100,r1 10-20,r2 30-40",
      "w1 0-10,w2 20-?,r1 30-40,r2 50-60", "w1 0-10,w2 20-?,r1 30-40", "w1 0-50,w2 10-60,r2 70-80",
      "w1 0-10,w1 20-30,r1 40-50",
      "w1 0-10,w2 5-15,w3 8-20,r1 21-22", "r0 0-5,r0 6-9",
    ])
  func good(text: String) {
    #expect(Linearizability.check(history(text), initial: "0") == .linearizable(unchecked: 0))
  }

  @Test(
    "refuses histories that are not linearizable",
    arguments: [
      "w1 0-10,r0 20-30", "w1 0-10,w2 20-30,r1 40-50", "w1 0-100,r1 10-20,r0 30-40", "r1 0-10,w1 20-30",
      "w1 0-100,w2 0-100,r1 10-20,r2 30-40,r1 50-60", "w1 0-10,w2 20-?,r2 30-40,r1 50-60", "w1 0-10,r2 20-30",
    ])
  func bad(text: String) {
    guard case .violated = Linearizability.check(history(text), initial: "0") else {
      Issue.record("an order was found for \(text)")
      return
    }
  }

  @Test("accepts the order of the server without a search, however many operations overlap")
  func ownOrder() {
    let pipelined = (1...5_000).map { operation($0, $0 % 2 == 1 ? "w" : "r", "\(($0 + 1) / 2)", 0, 100) }
    #expect(Linearizability.check(pipelined, initial: "0") == .linearizable(unchecked: 0))
  }

  @Test("does not believe an order of the server that contradicts the clock")
  func impossibleOrder() {
    let reversed = [operation(2, "w", "2", 20, 30), operation(1, "w", "1", 0, 10), operation(3, "r", "1", 40, 50)]
    guard case .violated = Linearizability.check(reversed, initial: "0") else {
      Issue.record("the later write was taken for the earlier one")
      return
    }
  }

  @Test("gives no verdict on too many overlapping operations, and a verdict on a long sequential history")
  func limits() {
    let unchecked = (1...70).map { operation($0, "w", "\($0)", 0, 100) } + [operation(71, "r", "1", 0, 100)]
    #expect(Linearizability.check(unchecked) == .linearizable(unchecked: 71))
    let many = (1...30).map { operation($0, "w", "\($0)", 0, 100) } + [operation(31, "r", "x", 0, 100)]
    #expect(Linearizability.check(many, initial: "0") == .linearizable(unchecked: 31))
    let quiet = (1...5_000).map { operation($0, $0 % 2 == 1 ? "w" : "r", "\(($0 + 1) / 2)", $0 * 10, $0 * 10 + 5) }
    #expect(Linearizability.check(quiet) == .linearizable(unchecked: 0))
  }

  @Test("judges a few overlapping operations after any number of pieces that take too many steps")
  func hardPieces() {
    var operations: [Linearizability.Operation] = []
    for piece in 0..<20 {
      let start = piece * 1_000
      for number in 1...30 { operations.append(operation(operations.count, "w", "\(number)", start, start + 100)) }
    }
    operations += [operation(601, "w", "1", 30_000, 30_010), operation(602, "w", "2", 30_005, 30_020)]
    operations.append(operation(603, "r", "3", 30_015, 30_030))
    #expect(Linearizability.check(operations) == .violated([601, 602, 603]))
  }

  private let device = Register.Record("devices", "d1")

  private func write(_ traffic: inout Traffic, _ value: String, version: Int?, key: UInt64? = nil) {
    traffic.answered(200, "PATCH", "/devices/d1") { seen in
      seen.operation = .named("patchDevice")
      seen.body = Observation.hash(value)
      seen.key = key
      seen.effect = .write(Register.Values(device, "type", value))
      seen.isApplied = version != nil
      seen.versions = version.map { $0..<$0 + 1 } ?? 1..<1
    }
  }

  private func audit(_ traffic: Traffic, _ value: String?, version: Int) -> Finding? {
    let state = CheckContext.State.booking(version: version, value: { _ in value })
    return traffic.findings(state: state)[AcknowledgedWritesKept.id]
  }

  @Test("finds an acknowledged write that was not applied, a lost one, and a key that was applied twice")
  func losses() {
    var traffic = Traffic()
    write(&traffic, "1", version: 0)
    #expect(audit(traffic, "1", version: 1)?.verdict == .pass)
    #expect(audit(traffic, "0", version: 1)?.verdict == .fail, "the value of another client")
    #expect(audit(traffic, "0", version: 2)?.verdict == .pass, "a write is in flight, so the values are not compared")
    var dropped = traffic
    write(&dropped, "2", version: nil)
    #expect(audit(dropped, "1", version: 1)?.verdict == .fail)
    #expect(audit(dropped, "1", version: 1)?.evidence.contains(2) == true)
    var same = traffic
    write(&same, "1", version: nil)
    #expect(audit(same, "1", version: 1)?.verdict == .pass, "the value was the same before")
    var keyed = Traffic()
    for version in 0..<2 { write(&keyed, "\(version)", version: version, key: 5) }
    #expect(audit(keyed, "1", version: 2)?.verdict == .fail)
  }

  @Test("accepts a write that was applied earlier and ends later")
  func overtaken() {
    var traffic = Traffic()
    write(&traffic, "1", version: 0)
    let start = traffic.now
    traffic.exchange("PATCH", "/devices/d1", client: 8, took: .seconds(5)) { seen in
      seen.effect = .write(Register.Values(device, "type", "2"))
      seen.isApplied = true
      seen.versions = 1..<2
    }
    traffic.now = start + .seconds(1)
    traffic.answered(200, "PATCH", "/devices/d1") { seen in
      seen.effect = .write(Register.Values(device, "type", "2"))
      seen.versions = 2..<2
    }
    #expect(audit(traffic, "2", version: 2)?.verdict == .pass)
  }

  @Test("fails for reads that no order explains, even of different clients")
  func staleReads() {
    var traffic = Traffic()
    write(&traffic, "1", version: 0)
    traffic.wait(.seconds(1))
    write(&traffic, "2", version: 1)
    traffic.wait(.seconds(1))
    traffic.answered(200, "GET", "/devices/d1") { seen in
      seen.versions = 2..<2
      seen.effect = .read(device, body: Array("{\"id\":\"d1\",\"type\":1}".utf8))
    }
    let finding = audit(traffic, "2", version: 2)
    #expect(finding?.verdict == .fail)
    #expect(finding?.sentence.contains("devices/d1/type") == true)
  }

  @Test("judges any number of overlapping requests in the order in which they were performed, not in which they came")
  func performedInReverse() {
    var history = History()
    var seen = Observation.answered
    (seen.isWrite, seen.isApplied, seen.end) = (true, true, seen.arrival + .seconds(1))
    for id in 1...200 {
      (seen.id, seen.versions) = (id, (200 - id)..<(201 - id))
      seen.effect = .write(Register.Values(device, "type", "\(200 - id)"))
      history.observe(seen)
    }
    (seen.id, seen.isWrite, seen.isApplied, seen.versions) = (201, false, false, 100..<100)
    seen.effect = .read(device, body: Array("{\"id\":\"d1\",\"type\":99}".utf8))
    history.observe(seen)
    #expect(history.judged.operations == 201)
    #expect(history.judged.unchecked == 0)
    #expect(history.judged.violation == nil)
  }

  @Test("exports a write once, though its stored response was sent again under its key")
  func storedResponse() {
    var traffic = Traffic()
    write(&traffic, "1", version: 0, key: 5)
    write(&traffic, "2", version: 1)
    write(&traffic, "1", version: nil, key: 5)
    var history = History()
    for seen in traffic.observations { history.observe(seen) }
    let lines = String(decoding: history.lines, as: UTF8.self).split(separator: "\n")
    #expect(lines.count { $0.contains("\"value\":1") } == 2)
    #expect(lines.count { $0.contains("\"value\":2") } == 2)
  }

  /// Returns the size of a history, including discarded operations.
  private func weight(_ history: History) -> Int {
    history.operations.reduce(0) { sum, operation in
      switch operation.effect {
      case .none, .restore: sum
      // The text of a long value would be made anew each time.
      case .write(let values): values.reduce(sum) { $0 + ($1.value.string?.utf8.count ?? 0) }
      case .decrement(let counter): sum + counter.record.id.utf8.count
      case .read(_, let body): sum + body.count
      }
    }
  }

  @Test("bounds the history's memory, whatever the size of written values")
  func historyBound() {
    var history = History()
    var seen = Observation.answered
    (seen.status, seen.isWrite) = (400, true)
    // Made once: a repeated character is appended one at a time.
    let (large, small) = (String(repeating: "v", count: 1 << 20), String(repeating: "v", count: 100))
    for id in 1...3_000 {
      seen.id = id
      // Nine in ten are small, so that the earlier large ones are evicted one by one.
      seen.effect = .write(Register.Values(device, "type", id % 10 == 0 ? large : small))
      history.observe(seen)
      // Only a large write and the small one that follows can exceed the limit.
      guard id % 10 > 1 || weight(history) <= History.maximumBytes else {
        Issue.record("\(weight(history)) bytes are held after \(id) writes")
        return
      }
    }
    #expect(history.retained.last?.id == 3_000)
    #expect(history.operations.count <= 2 * history.retained.count)
    for id in 3_001...30_000 {
      seen.id = id
      seen.effect = .write(Register.Values(device, "type", "1"))
      history.observe(seen)
    }
    #expect(
      history.retained.map(\.id) == Array(20_001...30_000),
      "of small ones the newest \(History.maximumOperations) are kept")
    #expect(history.operations.count <= 2 * History.maximumOperations)
  }

  @Test("compares the spots with the bookings and the rivals' moves")
  func bookings() {
    func finding(spots: Int, rivals: Int) -> Finding? {
      var checks = JudgedTraffic()
      checks.record(.replaced(.booking(version: 10, ["Ljerka": 5, "Ema": 2]), at: MonotonicInstant(nanoseconds: 0)))
      var seen = Observation.answered
      (seen.id, seen.isWrite, seen.isApplied, seen.versions) = (1, true, true, 10..<11)
      seen.effect = .decrement(.spots(of: "Ljerka"))
      checks.observe(seen, seen.target)
      for rival in 0..<rivals { checks.record(.rival(takes: true, versions: 11 + rival..<12 + rival, rules: [])) }
      let state = CheckContext.State.booking(version: 11 + rivals, ["Ljerka": spots, "Ema": 2])
      let context = CheckContext(now: MonotonicInstant(nanoseconds: 0), state: state)
      return checks.findings(context).first { $0.id == AcknowledgedWritesKept.id }?.finding
    }
    #expect(finding(spots: 4, rivals: 0)?.verdict == .pass)
    #expect(finding(spots: 5, rivals: 0)?.verdict == .fail)
    #expect(finding(spots: 2, rivals: 2)?.verdict == .pass)
    #expect(finding(spots: 4, rivals: 2)?.verdict == .fail)
  }
}

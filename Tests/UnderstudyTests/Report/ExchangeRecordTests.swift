import Contract
import Faults
import HTTP1
import Primitives
import Testing

@testable import Report
@testable import Understudy

@Suite("The record of an exchange")
struct ExchangeRecordTests {
  @Test("is a flat value of at most 200 bytes, without references")
  func isFlat() {
    #expect(MemoryLayout<ExchangeRecord>.stride <= 200)
    #expect(_isPOD(ExchangeRecord.self))
  }

  @Test("returns what was stored in it, and nil where nothing was")
  func values() {
    let texts = ExchangeRecord.Texts(
      start: 100, head: 7, count: 60, method: 3, target: 11..<31, path: 11..<20, fields: 42, body: 5)
    var record = ExchangeRecord(
      id: 1, at: Instant(seconds: 3), method: .get, api: nil, connection: 4, n: 5, replayOf: nil, texts: texts)
    #expect(record.api == nil && record.replayOf == nil && record.response == nil && record.versions == nil)
    #expect(record.tag == nil && record.connection == 4 && record.n == 5)
    #expect(texts.method == 0..<3 && texts.target == 4..<24 && texts.path == 4..<13 && texts.fields == 35..<60)
    #expect(texts.body == 60..<65 && texts.range == 100..<165)
    record.versions = 8..<8
    record.tag = 0
    record.response = ExchangeRecord.Response(status: 200, fields: 70..<90, bytes: 6, of: 9)
    #expect(record.versions == 8..<8 && record.tag == 0 && record.status == 200)
    #expect(record.response?.fields == 70..<90 && record.response?.bytes == 6 && record.response?.of == 9)
    record.response = nil
    record.tag = nil
    #expect(record.status == nil && record.response == nil && record.tag == nil)
  }

  @Test("is judged before the journal evicts it")
  func evicted() throws {
    let server = try DurableServer(on: MemoryDisk(seed: 1))
    let sandbox = try #require(server.application.state.sandboxes[nil])
    let before = sandbox.traffic.checks.exchanges
    for _ in 0..<300 { #expect(server.ask(wire("GET", "/users/2")).status == 200) }
    let waiting = sandbox.traffic.exchangeLog.waitingCount
    #expect(sandbox.traffic.exchangeLog.evict() && sandbox.traffic.exchangeLog.waitingCount == 0 && waiting > 0)
    for _ in 0..<300 { #expect(server.ask(wire("GET", "/users/2")).status == 200) }
    sandbox.traffic.judge()
    #expect(sandbox.traffic.checks.exchanges == before + 600)
  }

  @Test("is stored once if its exchange ends at once, and at first unfinished if it waits")
  func storedOnce() throws {
    let server = try DurableServer(on: MemoryDisk(seed: 1))
    let (application, sandbox) = (server.application, try #require(server.application.state.sandboxes[nil]))
    for _ in 0..<3 { server.ask(wire("GET", "/users/2")) }
    #expect(sandbox.traffic.journal.lastID == 3 && sandbox.traffic.journal.lastSeq == 3)
    let request = try parsed(wire("GET", "/users/2", "Prefer: delay=1s"))
    let slow = application.arrive(request, by: Link(number: 1, peer: "192.0.2.1", port: Labels()), at: application.now)
    application.recordUnfinished(slow, at: application.now)
    application.recordUnfinished(slow, at: application.now)
    #expect(sandbox.traffic.journal.entry(4)?.outcome == .pending && sandbox.traffic.journal.lastSeq == 4)
    server.ask(wire("GET", "/users/2"))
    application.conclude(
      slow, response: nil, versions: nil, transmission: nil,
      delivery: Application.Delivery(outcome: .peerGone, isOnUsedConnection: false), output: [], at: application.now)
    #expect(sandbox.traffic.journal.entries(after: 0, limit: 9).map(\.id) == [1, 2, 3, 5, 4])
  }

  @Test("is judged at once if too many are not judged yet, though the loop is busy")
  func tooMany() throws {
    let server = try DurableServer(on: MemoryDisk(seed: 1))
    let sandbox = try #require(server.application.state.sandboxes[nil])
    for _ in 0..<1_500 {
      #expect(server.ask(wire("GET", "/users/2")).status == 200)
      #expect(sandbox.traffic.exchangeLog.waitingCount < JudgingQueue.maximumEnded)
    }
    #expect(sandbox.traffic.checks.exchanges == 8 * JudgingQueue.batch)
  }

  @Test("is judged before an event that comes after it")
  func beforeEvent() throws {
    let server = try DurableServer(on: MemoryDisk(seed: 1))
    let sandbox = try #require(server.application.state.sandboxes[nil])
    server.ask(wire("GET", "/users/2"))
    #expect(sandbox.traffic.exchangeLog.waitingCount == 1)
    sandbox.traffic.report(.armed(rules: []))
    #expect(sandbox.traffic.exchangeLog.waitingCount == 0 && sandbox.traffic.checks.exchanges == 1)
  }

  @Test("is judged if its own response evicts it")
  func evictedByItsResponse() throws {
    let server = try DurableServer(on: MemoryDisk(seed: 1))
    let (application, sandbox) = (server.application, try #require(server.application.state.sandboxes[nil]))
    let request = try parsed(wire("GET", "/users/2", "Prefer: delay=1s"))
    var slow = application.arrive(request, by: Link(number: 1, peer: "192.0.2.1", port: Labels()), at: application.now)
    application.recordUnfinished(slow, at: application.now)
    // The last block of the ring is filled but for a few bytes, while the slow request is in the first.
    var (end, size, others) = (sandbox.traffic.journal.ring.end, 0, 0)
    func fill(_ padding: Int) {
      others += 1
      #expect(server.ask(wire("GET", "/users/2", "X-Padding: " + String(repeating: "x", count: padding))).status == 200)
      (size, end) = (sandbox.traffic.journal.ring.end - end - padding, sandbox.traffic.journal.ring.end)
    }
    while Journal.maximumBytes - end > 30_000 { fill(16_000) }
    fill(Journal.maximumBytes - end - size - 40)
    #expect(sandbox.traffic.journal.isRetained(slow.id) && sandbox.traffic.journal.evicts(slow.id, adding: 100))
    var output: [UInt8] = []
    guard case .answered(let answer) = application.perform(&slow, at: application.now) else {
      Issue.record("it is not answered")
      return
    }
    let layout = application.write(answer.response, of: slow, .unneeded, to: &output, at: application.now)
    var transmission = Transmission(of: layout, at: application.tick)
    transmission.end = layout.end
    application.conclude(
      slow, response: answer.response, versions: answer.versions, transmission: transmission,
      delivery: Application.Delivery(outcome: .sent, isOnUsedConnection: false), output: output, at: application.now)
    sandbox.traffic.judge()
    #expect(!sandbox.traffic.journal.isRetained(slow.id) && sandbox.traffic.exchangeLog.waitingCount == 0)
    #expect(sandbox.traffic.checks.exchanges == others + 1, "it was judged, too")
  }
}

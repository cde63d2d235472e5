import Contract
import Faults
import HTTP1
import Primitives
import Testing

@testable import Report
@testable import Understudy

@Suite("The entry of an exchange")
struct EntryTests {
  @Test("returns what was stored in it, and nil where nothing was")
  func values() {
    let head = "GET /users/1?a=b HTTP/1.1\r\nHost: a\r\n"
    var texts = Entry.Texts(
      Array((head + "body").utf8), head: 7, count: head.utf8.count, method: 3, target: 11..<23, path: 11..<19,
      fields: 34)
    func text(_ part: ArraySlice<UInt8>) -> String { String(decoding: part, as: UTF8.self) }
    #expect(text(texts.method) == "GET" && text(texts.target) == "/users/1?a=b" && text(texts.path) == "/users/1")
    #expect(text(texts.query) == "?a=b" && text(texts.fields) == "Host: a\r\n" && text(texts.body) == "body")
    #expect(texts.responseFields.isEmpty && texts.responseBody == nil)
    texts.append(fieldLines: Array("Age: 1\r\n".utf8)[...], body: [])
    #expect(text(texts.responseFields) == "Age: 1\r\n" && texts.responseBody == nil)
    texts.append(body: Array("ok".utf8)[...])
    #expect(texts.responseBody.map(text) == "ok" && text(texts.body) == "body")

    var entry = Entry(
      id: 1, at: Instant(seconds: 3), method: .get, api: nil, connection: 4, n: 5, replayOf: nil, texts: texts)
    #expect(entry.api == nil && entry.replayOf == nil && entry.response == nil && entry.versions == nil)
    #expect(entry.tag == nil && entry.connection == 4 && entry.n == 5 && entry.plan == nil && entry.details == nil)
    entry.versions = 8..<8
    entry.tag = 0
    entry.response = Entry.Response(status: 200, bytes: 6, of: 9)
    #expect(entry.versions == 8..<8 && entry.tag == 0 && entry.status == 200)
    #expect(entry.response?.bytes == 6 && entry.response?.of == 9)
    entry.response = nil
    entry.tag = nil
    #expect(entry.status == nil && entry.response == nil && entry.tag == nil)
  }

  @Test("is judged though the journal evicts it while an earlier exchange is under way")
  func evicted() throws {
    let server = try DurableServer(on: MemoryDisk(seed: 1))
    let sandbox = try #require(server.application.state.sandboxes[nil])
    let slow = server.connect(wire("GET", "/users/2", "Prefer: delay=1s"))
    for _ in 0..<100 { #expect(server.ask(wire("GET", "/users/2")).status == 200) }
    while sandbox.traffic.exchangeLog.journal.evict() {}
    #expect(sandbox.traffic.exchangeLog.waitingCount == 100 && !sandbox.traffic.journal.isRetained(2))
    server.pass(seconds: 1)
    slow.resume()
    #expect(sandbox.traffic.exchangeLog.waitingCount == 0 && sandbox.traffic.checks.exchanges == 101)
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
      slow, response: nil, versions: nil,
      delivery: Application.Delivery(outcome: .peerGone, isOnUsedConnection: false), at: application.now)
    #expect(sandbox.traffic.journal.entries(after: 0, limit: 9).map(\.id) == [1, 2, 3, 5, 4])
  }

  @Test("is judged when its exchange ends, unless an earlier one is under way")
  func atOnce() throws {
    let server = try DurableServer(on: MemoryDisk(seed: 1))
    let sandbox = try #require(server.application.state.sandboxes[nil])
    server.ask(wire("GET", "/users/2"))
    #expect(sandbox.traffic.exchangeLog.waitingCount == 0 && sandbox.traffic.checks.exchanges == 1)
    let slow = server.connect(wire("GET", "/users/2", "Prefer: delay=1s"))
    server.ask(wire("GET", "/users/2"))
    #expect(sandbox.traffic.exchangeLog.waitingCount == 1 && sandbox.traffic.checks.exchanges == 1)
    slow.disconnect()
    #expect(sandbox.traffic.exchangeLog.waitingCount == 0 && sandbox.traffic.checks.exchanges == 3)
  }

  @Test("is judged before an event that replaces the state, though an earlier exchange is under way")
  func beforeReplacement() throws {
    let server = try DurableServer(on: MemoryDisk(seed: 1))
    let sandbox = try #require(server.application.state.sandboxes[nil])
    let slow = server.connect(wire("GET", "/users/2", "Prefer: delay=1s"))
    server.ask(wire("GET", "/users/2"))
    sandbox.traffic.report(.armed(rules: []))
    #expect(sandbox.traffic.exchangeLog.waitingCount == 1)
    sandbox.traffic.report(.replaced)
    #expect(sandbox.traffic.exchangeLog.waitingCount == 0 && sandbox.traffic.checks.exchanges == 1)
    slow.disconnect()
  }

  @Test("events that come between a reset and its refusal are among those of the checks before it")
  func eventsBeforeARefusal() {
    var log = ExchangeLog()
    log.beginReset()
    log.report(.refused(rules: ["tunnel"]))
    #expect(log.checks.strikes == 1)
    log.revertReset()
    #expect(log.checks.strikes == 1)
  }

  @Test("is judged if its own response evicts it")
  func evictedByItsResponse() throws {
    let server = try DurableServer(on: MemoryDisk(seed: 1))
    let (application, sandbox) = (server.application, try #require(server.application.state.sandboxes[nil]))
    let request = try parsed(wire("GET", "/users/2", "Prefer: delay=1s"))
    var slow = application.arrive(request, by: Link(number: 1, peer: "192.0.2.1", port: Labels()), at: application.now)
    application.recordUnfinished(slow, at: application.now)
    func room() -> Int { Journal.maximumBytes - sandbox.traffic.journal.entryBytes }
    func fill(_ count: Int) {
      sandbox.traffic.record(String(repeating: "n", count: count), versions: nil, at: Instant(seconds: 0))
    }
    while room() > 4_000 { fill(2_000) }
    // What is allocated is rounded up.
    fill(room() - MemoryLayout<Entry>.stride - 64)
    #expect(sandbox.traffic.journal.isRetained(slow.id) && (0..<150).contains(room()))
    var output: [UInt8] = []
    guard case .answered(let answer) = application.perform(&slow, at: application.now) else {
      Issue.record("it is not answered")
      return
    }
    let layout = application.write(answer.response, of: slow, .unneeded, to: &output, at: application.now)
    var transmission = Transmission(of: layout, at: application.tick)
    transmission.end = layout.end
    application.conclude(
      slow, response: answer.response, versions: answer.versions,
      delivery: Application.Delivery(outcome: .sent, isOnUsedConnection: false, transmission, in: output),
      at: application.now)
    #expect(!sandbox.traffic.journal.isRetained(slow.id) && sandbox.traffic.exchangeLog.waitingCount == 0)
    #expect(sandbox.traffic.checks.exchanges == 1, "it was judged")
  }
}

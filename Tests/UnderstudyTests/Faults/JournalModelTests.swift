import Contract
import HTTP1
import LiveTesting
import Primitives
import Testing

@testable import Faults
@testable import Report
@testable import Understudy

@Suite("The journal's memory")
struct JournalModelTests {
  @Test(
    "uses a ring that holds the newest bytes, even if it shrinks in between", arguments: 0..<20 as Range<UInt64>
  )
  func ring(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let block = Int.random(in: 1...150, using: &random)
    let maximum = block * Int.random(in: 2...5, using: &random)
    var ring = ByteRing(blockBytes: block, maximumBytes: maximum)
    var model: [UInt8] = []
    var floor = 0
    for _ in 0..<200 {
      if Int.random(in: 0..<8, using: &random) == 0, ring.shrink() { floor = ring.start }
      let piece = (0..<Int.random(in: 0...min(ring.longest, 40), using: &random)).map { _ in
        UInt8.random(in: 0...255, using: &random)
      }
      ring.append(piece[...])
      model += piece
      #expect(ring.end == model.count)
      #expect(ring.count <= maximum)
      #expect(ring.start >= floor, "dropped bytes do not come back")
      #expect(ring.count >= min(model.count - floor, ring.longest), "it grows before it drops bytes")
      #expect(ring[ring.start..<ring.end] == Array(model[ring.start...]))
      let low = Int.random(in: 0...model.count, using: &random)
      let high = Int.random(in: low...model.count, using: &random)
      #expect(ring.contains(low..<high) == (low >= ring.start))
      if ring.contains(low..<high) { #expect(ring[low..<high] == Array(model[low..<high])) }
    }
  }

  @Test("uses a ring of one block that drops its older half when it shrinks, down to 4 KiB, and grows again")
  func smallRing() {
    var ring = ByteRing(maximumBytes: Journal.maximumBytes)
    let text = (0..<20_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
    ring.append(text[...])
    while ring.shrink() {
      #expect(ring.capacity >= ByteRing.minimumBytes / 2)
      #expect(ring[ring.start..<ring.end] == Array(text[ring.start...]))
    }
    #expect(ring.capacity <= ByteRing.minimumBytes && ring.count > 1_000)
    ring.append(text[...])
    ring.append(text[...])
    #expect(ring[ring.end - 40_000..<ring.end] == text + text)
  }

  private func request(_ target: String, body: Int = 0) throws -> Request {
    try parsed(wire("POST", target, body: String(repeating: "b", count: body)))
  }

  private func begin(_ journal: inout Journal, _ request: borrowing Request, plan: Plan? = nil) -> Int {
    journal.begin(request, plan ?? .none)
  }

  @Test("is known after each change of its size, also when a plan is evicted")
  func resized() throws {
    let request = try request("/", body: 400)
    let plan = Plan(.ordinal(1)).delayed(by: 1_000)
    var journal = Journal()
    var byteCount = journal.byteCount
    var unknown = 0
    for number in 0..<Journal.maximumEntries + 1_000 {
      _ = begin(&journal, request, plan: number % 9 == 0 ? plan : nil)
      if journal.isResized { byteCount = journal.byteCount }
      journal.isResized = false
      if byteCount != journal.byteCount { unknown += 1 }
    }
    #expect(unknown == 0)
  }

  @Test("counts the plans of its entries, except for plans without an effect")
  func plans() throws {
    let request = try request("/", body: 4_000)
    var (calm, planned) = (Journal(), Journal())
    let plan = Plan(.ordinal(1)).delayed(by: 1_000)
    for _ in 0..<1_000 {
      _ = begin(&calm, request, plan: Plan(.ordinal(1)))
      _ = begin(&planned, request, plan: plan)
    }
    func weight() -> Int { (planned.byteCount - calm.byteCount) / MemoryLayout<Plan>.stride }
    // The capacities of arrays of equal count depend on the allocator, and so on the tests that run beside this one. The
    // tolerance still distinguishes plans that are counted once from those that are not counted, or twice.
    #expect(abs(weight() - 1_000) < 500)
    #expect(calm.evict() && planned.evict())
    #expect(planned.count < 1_000 && abs(weight() - planned.count) < planned.count / 2)
  }

  @Test(
    "has pages with the same changes as a model, before and after resets",
    arguments: 0..<UInt64(WholeProof.rounds(2, of: 8)))
  func pages(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var journal = Journal()
    let request = try request("/")
    /// The seq of each stored id.
    var model: [Int: Int] = [:]
    var (id, seq) = (0, 0)
    for _ in 0..<2_000 {
      switch Int.random(in: 0..<1_000, using: &random) {
      case 0..<2:
        journal.hide()
        journal.discardHidden()
        model = [:]
      case 2..<500:
        (id, seq) = (id + 1, seq + 1)
        #expect(begin(&journal, request) == id)
        model[id] = seq
      case 500..<600:
        (id, seq) = (id + 1, seq + 1)
        journal.record("event", versions: nil, at: Instant(seconds: 0))
        model[id] = seq
      default:
        let target = Int.random(in: 0...id + 1, using: &random)
        journal.update(target) { $0.outcome = .sent }
        if model[target] != nil {
          seq += 1
          model[target] = seq
        }
      }
      let after = Int.random(in: 0...seq, using: &random)
      let limit = Int.random(in: 1...20, using: &random)
      let expected = model.filter { $0.value > after }.sorted { $0.value < $1.value }.prefix(limit)
      let found = journal.entries(after: after, limit: limit)
      #expect(found.map(\.id) == expected.map(\.key))
      #expect(found.map(\.seq) == expected.map(\.value))
    }
  }

  @Test("holds the newest 10,000 entries, whatever the number of their changes")
  func boundedByCount() throws {
    var journal = Journal()
    let request = try request("/")
    for _ in 1...12_000 {
      let id = begin(&journal, request)
      journal.update(id) { $0.outcome = .sent }
    }
    let entries = journal.entries(after: 0, limit: .max)
    #expect(entries.count == Journal.maximumEntries)
    #expect(entries.first?.id == 2_001)
    #expect(entries.last?.id == 12_000)
    #expect(journal.isPartial)
    #expect(journal.entry(2_000) == nil)
    journal.update(2_000) { $0.outcome = .reset }
    #expect(journal.lastSeq == 24_000, "an evicted entry does not change")
  }

  @Test("holds at most 8 MiB of texts, and no entry whose texts were evicted")
  func boundedByBytes() throws {
    var journal = Journal()
    let request = try request("/" + String(repeating: "t", count: 4_000), body: 5_000)
    for _ in 1...2_000 { _ = begin(&journal, request) }
    #expect(journal.byteCount < Journal.maximumBytes + Journal.maximumEntries * 1_000)
    let entries = journal.entries(after: 0, limit: .max)
    #expect(entries.count > 900 && entries.count < 1_100)
    #expect(entries.last?.id == 2_000)
    for entry in entries { #expect(journal.text(entry.texts.range)?.count == entry.texts.range.count) }
  }

  @Test("forgets the remark of an entry that another one replaces")
  func remarks() async throws {
    try await withStage { stage in
      _ = try exchange(stage.server, wire("GET", "/book"))
      let client = try WireConnection(stage.server.port)
      let batch = 1_000
      for _ in 0..<Journal.maximumEntries / batch {
        try client.send(String(repeating: wire("GET", "/users/1", "Prefer: code=204"), count: batch))
        for _ in 0..<batch { _ = try client.response() }
      }
      let journal = await stage.server.ask { $0.application.state.sandboxes[nil]?.traffic.journal }
      #expect(journal?.flatMap { $0.entry(1) } == nil && journal?.flatMap { $0.details.isEmpty } == true)
    }
  }
}

extension Journal {
  /// Adds the entry of a request, and returns its id.
  @discardableResult
  mutating func begin(_ request: borrowing Request, _ plan: Plan) -> Int {
    let id = nextID
    put(
      record(
        of: request, id: id, api: nil, operation: nil, connection: 1, n: 1, replayOf: nil, plan: plan,
        network: nil, SecretMask.standard.edits(of: request), at: Instant(seconds: 0)))
    return id
  }
}

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
  private func request(_ target: String, body: Int = 0) throws -> Request {
    try parsed(wire("POST", target, body: String(repeating: "b", count: body)))
  }

  private func begin(_ journal: inout Journal, _ request: borrowing Request, plan: Plan? = nil) -> Int {
    journal.begin(request, plan ?? .none)
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
    func weight() -> Int { (planned.byteCount - calm.byteCount) / MemoryLayout<Entry.Details>.stride }
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

  @Test("holds at most 12 MiB of entries with their texts")
  func boundedByBytes() throws {
    var journal = Journal()
    let request = try request("/" + String(repeating: "t", count: 4_000), body: 5_000)
    for _ in 1...2_000 { _ = begin(&journal, request) }
    #expect(journal.entryBytes <= Journal.maximumBytes)
    let entries = journal.entries(after: 0, limit: .max)
    #expect(entries.count > 1_350 && entries.count < 1_550)
    #expect(entries.last?.id == 2_000)
    #expect(entries.allSatisfy { $0.texts.body.count == Journal.maximumBodyBytes })
    let evicted = 2_000 - entries.count
    #expect(journal.byteCount >= journal.entryBytes + evicted * MemoryLayout<Entry>.stride, "their slots are in use")
  }
}

extension Journal {
  /// Adds the entry of a request, and returns its id.
  @discardableResult
  mutating func begin(_ request: borrowing Request, _ plan: Plan) -> Int {
    let id = nextID
    var entry = Entry(
      id: id, at: Instant(seconds: 0), method: request.knownMethod, api: nil, connection: 1, n: 1, replayOf: nil,
      isPlanned: !plan.isEmpty, texts: request.texts(SecretMask.standard.edits(of: request)))
    if !plan.isEmpty {
      var details = Entry.Details()
      details.plan = plan
      entry.details = details
    }
    put(entry)
    return id
  }
}

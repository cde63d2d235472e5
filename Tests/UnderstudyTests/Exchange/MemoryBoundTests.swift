import Contract
import Testing

@testable import Understudy

@Suite("Bounds on what is kept")
struct MemoryBoundTests {
  private static func key(_ number: Int) -> Idempotency.Key {
    Idempotency.Key(method: "POST", path: "/users", text: "\(number)")
  }

  private static func response(of size: Int) -> Response {
    Response(201, Representation([UInt8](repeating: 0x20, count: size), .json))
  }

  @Test("large replies under keys push out the oldest, however few they are")
  func keysByBytes() {
    var keys = Idempotency()
    for number in 0..<40 {
      keys.store(Self.response(of: 1 << 20), for: Self.key(number), body: [])
      #expect(keys.byteCount <= Idempotency.maximumBytes)
    }
    #expect(keys.all.map(\.key.text) == (33..<40).map(String.init), "seven and what they cost beside fit")
    keys.store(Self.response(of: 9 << 20), for: Self.key(99), body: [])
    #expect(keys.all.map(\.key.text) == ["99"], "the newest stays whatever it weighs")
  }

  @Test("to take a record back brings back all that it pushed out")
  func takesBack() throws {
    var keys = Idempotency()
    for number in 0..<7 { keys.store(Self.response(of: 1 << 20), for: Self.key(number), body: []) }
    let before = keys.byteCount
    let last = keys.store(Self.response(of: 5 << 20), for: Self.key(7), body: [])
    let stored = try #require(last)
    #expect(keys.all.count == 3)
    keys.takeBack(stored)
    #expect(keys.all.map(\.key.text) == (0..<7).map(String.init))
    #expect(keys.byteCount == before)
  }

  private func sandbox(_ name: String, used tick: MonotonicInstant) throws -> Sandbox {
    Sandbox(Sandbox.Order(name: name), seeds: try SeedData.embedded(), at: Instant(seconds: 0), tick: tick)
  }

  private func fill(_ sandbox: Sandbox, _ bytes: Int) {
    for _ in 0..<bytes / 4_000 {
      sandbox.journal.note(String(repeating: "n", count: 4_000), versions: nil, at: Instant(seconds: 0))
    }
  }

  @Test("journals that weigh too much together give up what is oldest, those used longest ago first")
  func journals() throws {
    let base = SystemClock.tick()
    var sandboxes = Sandboxes(try sandbox("default", used: base))
    for number in 1...4 { sandboxes.add(try sandbox("s\(number)", used: base + .seconds(number))) }
    for sandbox in sandboxes.all { fill(sandbox, 1 << 20) }
    let full = sandboxes.journalBytes
    #expect(full == sandboxes.all.reduce(0) { $0 + $1.journal.byteCount })
    sandboxes.boundJournals(to: full)
    #expect(!sandboxes.all.contains { $0.journal.isPartial }, "within the bound nothing is given up")
    sandboxes.boundJournals(to: full / 2)
    #expect(sandboxes.journalBytes <= full / 2)
    #expect(sandboxes.journalBytes == sandboxes.all.reduce(0) { $0 + $1.journal.byteCount })
    let newest = try #require(sandboxes["s4"]).journal
    #expect(!newest.isPartial && newest.entries(after: 0, limit: 10_000).count == newest.lastID)
    let oldest = try #require(sandboxes[nil]).journal
    #expect(oldest.isPartial && oldest.lastID == newest.lastID)
  }

  @Test("a journal that evicted its older half still has the newer one, and continues")
  func evict() throws {
    let sandbox = try sandbox("s", used: SystemClock.tick())
    fill(sandbox, 3 << 20)
    let last = sandbox.journal.lastID
    let isShed = sandbox.journal.evict()
    #expect(isShed)
    let kept = sandbox.journal.entries(after: 0, limit: 10_000)
    #expect(kept.last?.id == last && kept.count > 100 && kept.count < last)
    #expect(kept.map(\.id) == Array((kept.first?.id ?? 0)...last), "without a gap")
    #expect(kept.allSatisfy { sandbox.journal.text($0.texts.range)?.count == 4_000 })
    fill(sandbox, 1 << 20)
    let after = sandbox.journal.entries(after: last, limit: 10_000)
    #expect(after.map(\.id) == Array(last + 1...sandbox.journal.lastID))
    while sandbox.journal.evict() {}
    #expect(sandbox.journal.byteCount < 64 << 10)
    sandbox.journal.note("more", versions: nil, at: Instant(seconds: 0))
    #expect(sandbox.journal.entries(after: 0, limit: 10_000).last?.id == sandbox.journal.lastID)
    sandbox.journal.reset()
    #expect(!sandbox.journal.isPartial)
  }

  @Test("a sandbox that is no more weighs nothing")
  func removed() throws {
    var sandboxes = Sandboxes(try sandbox("default", used: SystemClock.tick()))
    let before = sandboxes.journalBytes
    sandboxes.add(try sandbox("s", used: SystemClock.tick()))
    fill(try #require(sandboxes["s"]), 1 << 20)
    #expect(sandboxes.journalBytes > before + 1 << 20)
    _ = sandboxes.remove("s")
    #expect(sandboxes.journalBytes == before)
  }
}

import Contract
import JSON
import LiveTesting
import Report
import Testing

@testable import Primitives
@testable import Services
@testable import Understudy

@Suite("Bounds on memory")
struct MemoryBoundTests {
  private static func key(_ number: Int) -> Idempotency.Key {
    Idempotency.Key(method: "POST", path: "/users", text: "\(number)")
  }

  private static func response(of size: Int) -> Response {
    Response(201, Representation([UInt8](repeating: 0x20, count: size), .json))
  }

  @Test("large responses under idempotency keys evict the oldest, whatever their number")
  func keysByBytes() {
    var keys = Idempotency()
    let response = Self.response(of: 1 << 17)
    for number in 0..<40 {
      keys.store(response, for: Self.key(number), content: KeyedContent(query: []).digest)
      #expect(keys.byteCount <= Idempotency.maximumBytes)
    }
    #expect(keys.all.map(\.key.text) == (33..<40).map(String.init), "seven responses and their overhead fit")
    keys.store(Self.response(of: 9 << 20), for: Self.key(99), content: KeyedContent(query: []).digest)
    #expect(keys.all.map(\.key.text) == ["99"], "the newest stays, whatever its size")
  }

  @Test("a rollback restores evicted responses, and leaves the keys of requests in flight")
  func takesBack() {
    var keys = Idempotency()
    let response = Self.response(of: 1 << 17)
    for number in 0..<7 { keys.store(response, for: Self.key(number), content: KeyedContent(query: []).digest) }
    let before = keys
    keys.wait(1, for: Self.key(8), content: KeyedContent(query: []))
    keys.store(Self.response(of: 5 << 17), for: Self.key(7), content: KeyedContent(query: []).digest)
    #expect(keys.all.count == 3)
    keys.rollBack(to: before)
    #expect(keys.all.map(\.key.text) == (0..<7).map(String.init))
    #expect(keys.byteCount == before.byteCount)
    #expect(keys.knows(Self.key(8)))
  }

  @Test("the booking data has at most a thousand rooms, and the refusal says so")
  func rooms() async throws {
    try await withServer { server in
      for (count, status) in [(API.maximumBookingRooms, 200), (API.maximumBookingRooms + 1, 400)] {
        let rooms = (0..<count).map { #"{"name":"\#($0)","spots":1}"# }.joined(separator: ",")
        let body = #"{"booking":{"rooms":[\#(rooms)]}}"#
        let response = try exchange(server, wire("PATCH", "/_mock/state", body: body))
        #expect(response.status == status)
        if status == 400 {
          #expect(response.text.contains("/booking/rooms: expected an array of 0 to 1000, found 1001 elements"))
        }
      }
    }
  }

  @Test("sandboxes share the memory of the data that they begin with, except of data that depends on the time")
  func sharedData() throws {
    var device = try #require(try SeedData.embedded().documents[0].array?.first?.object)
    func devices(dated date: JSONValue) throws -> [Representation?] {
      device["id"] = "D-1"
      device["installationDate"] = date
      let seeds = try SeedData.embedded().merging(["devices": [.object(device)]])
      let operation = try #require(API.devices.operations.firstIndex { $0.id == "getDevice" })
      return [Int64(0), 3_600].map { seconds in
        var store = Store(seeds, at: Instant(seconds: seconds))
        return store.respond(api: 0, to: Call(operation: operation, arguments: ["D-1"])).representation
      }
    }
    let shared = try devices(dated: "2023-06-22T15:13:34Z")
    #expect(shared[0] != nil && shared[0] === shared[1])
    let own = try devices(dated: "now").map { String(decoding: $0?.bytes ?? [], as: UTF8.self) }
    #expect(own[0].contains("1970-01-01T00:00:00Z") && own[1].contains("1970-01-01T01:00:00Z"))
  }

  private func sandbox(_ name: String, used tick: MonotonicInstant) throws -> Sandbox {
    Sandbox(
      Sandbox.Configuration(identity: Sandbox.Identity(name: name)), seeds: try SeedData.embedded(),
      at: Instant(seconds: 0), tick: tick)
  }

  private func fill(_ sandbox: Sandbox, _ bytes: Int) {
    for _ in 0..<bytes / 4_000 {
      sandbox.traffic.record(String(repeating: "n", count: 4_000), versions: nil, at: Instant(seconds: 0))
    }
  }

  @Test("journals that exceed their bound together evict their oldest entries, the least recently used journal first")
  func journals() throws {
    let base = SystemClock.tick()
    let sandboxes = Sandboxes(try sandbox("default", used: base))
    for number in 1...4 { sandboxes.add(try sandbox("s\(number)", used: base + .seconds(number))) }
    for sandbox in sandboxes.all { fill(sandbox, 1 << 20) }
    let full = sandboxes.journalBytes
    #expect(full == sandboxes.all.reduce(0) { $0 + $1.traffic.journal.byteCount })
    sandboxes.boundJournals(to: full)
    #expect(!sandboxes.all.contains { $0.traffic.journal.isPartial }, "within the bound no entry is evicted")
    sandboxes.boundJournals(to: full / 2)
    #expect(sandboxes.journalBytes <= full / 2)
    #expect(sandboxes.journalBytes == sandboxes.all.reduce(0) { $0 + $1.traffic.journal.byteCount })
    let newest = try #require(sandboxes["s4"]).traffic.journal
    #expect(!newest.isPartial && newest.entries(after: 0, limit: 10_000).count == newest.lastID)
    let oldest = try #require(sandboxes[nil]).traffic.journal
    #expect(oldest.isPartial && oldest.lastID == newest.lastID)
  }

  @Test("many small journals are bounded as fast as few large ones")
  func smallJournals() throws {
    let base = SystemClock.tick()
    let sandboxes = Sandboxes(try sandbox("default", used: base))
    for number in 1...50 { sandboxes.add(try sandbox("s\(number)", used: base + .seconds(number))) }
    for sandbox in sandboxes.all { fill(sandbox, 40_000) }
    let full = sandboxes.journalBytes
    sandboxes.boundJournals(to: full / 2, evicting: 200)
    #expect(sandboxes.journalBytes > full / 2, "it ends after so many entries")
    sandboxes.boundJournals(to: full / 2, evicting: 500)
    #expect(sandboxes.journalBytes <= full / 2)
  }

  @Test("a journal that evicted its older half still has the newer one, and continues")
  func evict() throws {
    let sandbox = try sandbox("s", used: SystemClock.tick())
    fill(sandbox, 3 << 20)
    let last = sandbox.traffic.journal.lastID
    let isShed = sandbox.traffic.exchangeLog.journal.evict()
    #expect(isShed)
    let kept = sandbox.traffic.journal.entries(after: 0, limit: 10_000)
    #expect(kept.last?.id == last && kept.count > 100 && kept.count < last)
    #expect(kept.map(\.id) == Array((kept.first?.id ?? 0)...last), "without a gap")
    #expect(kept.allSatisfy { $0.texts.event.count == 4_000 })
    fill(sandbox, 1 << 20)
    let after = sandbox.traffic.journal.entries(after: last, limit: 10_000)
    #expect(after.map(\.id) == Array(last + 1...sandbox.traffic.journal.lastID))
    while sandbox.traffic.exchangeLog.journal.evict() {}
    #expect(sandbox.traffic.journal.byteCount < 64 << 10)
    sandbox.traffic.exchangeLog.journal.record("more", versions: nil, at: Instant(seconds: 0))
    #expect(sandbox.traffic.journal.entries(after: 0, limit: 10_000).last?.id == sandbox.traffic.journal.lastID)
    sandbox.traffic.exchangeLog.journal.hide()
    sandbox.traffic.exchangeLog.journal.discardHidden()
    #expect(!sandbox.traffic.journal.isPartial)
  }

  @Test("a removed sandbox uses no memory of the journals' bound")
  func removed() throws {
    let sandboxes = Sandboxes(try sandbox("default", used: SystemClock.tick()))
    let before = sandboxes.journalBytes
    sandboxes.add(try sandbox("s", used: SystemClock.tick()))
    fill(try #require(sandboxes["s"]), 1 << 20)
    #expect(sandboxes.journalBytes > before + 1 << 20)
    _ = sandboxes.remove("s")
    #expect(sandboxes.journalBytes == before)
  }
}

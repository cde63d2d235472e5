import Contract
import JSON
import LiveTesting
import Services
import Testing

@testable import Primitives
@testable import StateLog
@testable import Understudy

@Suite("The recovery of a state log")
struct RecoveryTests {
  /// A log with every kind of record in its frames, and with every kind in its image.
  private static func logs() throws -> [[UInt8]] {
    let disk = MemoryDisk(seed: 1)
    let server = try DurableServer(on: disk, scenario: "lost-ack")
    let requests = [
      wire(
        "POST", "/_mock/sandboxes", body: "{\"name\":\"ci-1\",\"api\":\"house\",\"ttl\":\"5m\",\"data\":{\"users\":[]}}"
      ),
      wire("PATCH", "/devices/WWM-0001-12", body: "{\"meterPointDescription\":\"Küche\\u0007\\n\"}"),
      wire("POST", "/users", "Idempotency-Key: a", "Content-Type: application/json", body: "{\"name\":\"\\u0001Ada\"}"),
      wire("POST", "/book", "Idempotency-Key: b", body: "{\"name\":\"nowhere\"}"),
      wire("POST", "/book", "Idempotency-Key: c", body: "{\"name\":7}"),
      wire("POST", "/book", body: "{\"name\":\"Ljerka\"}"), wire("GET", "/living-room/tv/on"),
      wire("POST", "/activities/7830", body: "{\"is_archived\":true}"), wire("PUT", "/_mock/snapshots/s"),
      wire("GET", "/reset"),
      wire("PATCH", "/_mock/state", body: "{\"activities\":[],\"house\":{\"temperature\":31.50}}"),
      wire("GET", "/reset"), wire("POST", "/_mock/snapshots/s/restore"),
      wire("PATCH", "/_mock/clock", body: "{\"frozen\":true,\"advance\":\"1h\"}"),
      wire("PUT", "/_mock/scenario", body: "\"train\""), wire("POST", "/@ci-1/_mock/reset"),
      wire("POST", "/_mock/sandboxes", body: "{\"name\":\"gone\"}"), wire("DELETE", "/_mock/sandboxes/gone"),
    ]
    for request in requests { #expect(server.ask(request).status < 500, "\(request)") }
    let log = try #require(disk.bytes("state.log"))
    let other = MemoryDisk(seed: 2)
    try LogFile(on: other).rewrite(Array(server.image.joined(separator: "\n").utf8))
    return [log, try #require(other.bytes("state.log"))]
  }

  private static func recover(_ payloads: [[UInt8]]) throws(StartError) -> Recovery {
    let content = LogFormat.Content(
      payloads: payloads.map { $0[...] }, offsets: Array(payloads.indices), end: payloads.count)
    return try Recovery(content, path: "state.log", at: Instant(seconds: 0), tick: MonotonicInstant(nanoseconds: 0))
  }

  @Test("every record is the same after it is read and written again")
  func roundTrip() throws {
    var kinds: Set<String> = []
    for log in try Self.logs() {
      for payload in try LogFormat.read(log).payloads {
        let records = try LogRecord.records(in: payload)
        #expect(LogRecord.payload(records).split(separator: 0x0A) == payload.split(separator: 0x0A))
        for record in records { kinds.formUnion(record.json.object?.members.prefix(2).map(\.name) ?? []) }
      }
    }
    #expect(
      kinds.isSuperset(of: [
        "seeds", "commandLine", "made", "deleted", "devices", "activities", "house", "booking", "key", "merged",
        "snapshot", "restored", "reset", "clock", "armed", "store", "numbered",
      ]), "\(kinds)")
  }

  @Test("mutated records are refused with a message or read as valid ones")
  func fuzz() throws {
    let logs = try Self.logs().dropLast().map { try LogFormat.read($0).payloads.map { Array($0) } }
    var refused = 0
    let fuzz = Fuzz("state records", seed: 11, rounds: 300)
    try fuzz.run { random, note in
      var payloads = logs.randomElement(using: &random) ?? []
      let index = Int.random(in: 0..<payloads.count, using: &random)
      for _ in 0...Int.random(in: 0..<2, using: &random) { mutate(&payloads[index], &random) }
      do throws(StartError) {
        let recovery = try Self.recover(payloads)
        // A recovered state can be written, and is the same when it is read again.
        let image = Self.image(recovery)
        #expect(Self.image(try Self.recover([image])) == image, "\(note)")
      } catch {
        guard case .badState(let detail) = error else { throw error }
        // A later frame may refer to something that a damaged one no longer creates.
        let shown = detail.split(separator: " ").lazy.compactMap { Int($0.dropLast()) }.first
        #expect(detail.hasPrefix("state.log: in the frame at byte "), "\(note): \(detail)")
        #expect(shown.map { (index..<payloads.count).contains($0) } == true, "\(note): \(detail)")
        refused += 1
      }
    }
    #expect(refused > fuzz.rounds / 3)
  }

  /// Returns the recovered state as the first frame of a new log.
  private static func image(_ recovery: Recovery) -> [UInt8] {
    var records: [LogRecord] = []
    for (number, data) in recovery.seeds.sorted(by: { $0.key < $1.key }) {
      let documents = Dictionary(uniqueKeysWithValues: data.documents.enumerated().map { ($0.offset, $0.element) })
      records.append(.seeds(number, documents))
    }
    if let (scenario, seed) = recovery.commandLine { records.append(.commandLine(scenario, seed: seed)) }
    records += recovery.sandboxes.values.sorted { $0.name < $1.name }.flatMap { $0.pendingRecords() }
    return LogRecord.payload(records)
  }

  /// Changes a text so that it often remains JSON: digits, letters, whole lines.
  private func mutate(_ bytes: inout [UInt8], _ random: inout FuzzRandom) {
    guard !bytes.isEmpty else { return }
    let index = Int.random(in: 0..<bytes.count, using: &random)
    switch random.next() % 4 {
    case 0:
      guard let digit = bytes[index...].firstIndex(where: { (48...57).contains($0) }) else { return }
      bytes[digit] = UInt8.random(in: 48...57, using: &random)
    case 1:
      guard let job = bytes[index...].firstIndex(where: { (97...122).contains($0) }) else { return }
      bytes[job] = UInt8.random(in: 97...122, using: &random)
    case 2: bytes.removeSubrange(index..<min(bytes.count, index + Int.random(in: 1...60, using: &random)))
    default: bytes[index] = UInt8.random(in: 0...255, using: &random)
    }
  }

  @Test(
    "an unexpected record is refused with the expectation",
    arguments: [
      ("{\"in\":\"nowhere\",\"house\":[\"fixture\",0,0,true]}", "the name of an existing sandbox"),
      ("{\"in\":\"default\",\"house\":[\"fixture\",9,0,true]}", "a fixture of one of 3 rooms"),
      ("{\"in\":\"default\",\"devices\":[\"record\",0,{\"id\":\"other\"}]}", "a record with the id"),
      (
        "{\"in\":\"default\",\"activities\":[\"record\",0,{\"id\":7834}]}", "records that fit, at /0/created_at"
      ),
      ("{\"in\":\"default\",\"booking\":[\"spots\",0,44]}", "free spots of one of"),
      ("{\"in\":\"default\",\"users\":[\"record\",0,{}]}", "has no such part"),
      ("{\"in\":\"default\",\"restored\":\"never\"}", "the name of an existing snapshot"),
      ("{\"in\":\"default\",\"garden\":[]}", "a change of state as \"garden\""),
      ("{\"reseeded\":9,\"at\":0}", "the number of existing data"), ("{\"numbered\":-1}", "a number of a name"),
      ("{\"spoken\":1}", "a record of a known kind"),
      ("{\"in\":", "a record as JSON"),
    ])
  func misfits(line: String, expectation: String) throws {
    let image = try LogFormat.read(try Self.logs()[0]).payloads[0]
    let error = #expect(throws: StartError.self) { try Self.recover([Array(image), Array(line.utf8)]) }
    #expect(error?.description.contains(expectation) == true, "\(error?.description ?? "")")
  }

  @Test("an incomplete last frame is cut off and reported, and the next frame is written in its place")
  func tornEnd() throws {
    let disk = MemoryDisk(seed: 3)
    let server = try DurableServer(on: disk)
    server.ask(wire("GET", "/living-room/tv/on"))
    let file = try disk.open(LogFile.name)
    let end = try #require(disk.bytes(LogFile.name)).count
    try file.write(Array(LogFormat.frame([1, 2, 3], number: 3).dropLast()), at: end)
    let again = try DurableServer(on: disk)
    #expect(again.notices.all.count == 1)
    #expect(again.notices.all.first?.contains("18 bytes at the end are an incomplete change") == true)
    #expect(again.image == server.image)
    #expect(disk.bytes(LogFile.name)?.count == end)
    #expect(again.ask(wire("GET", "/kitchen/light/on")).status == 200)
    #expect(try DurableServer(on: disk).image == again.image)
  }

  @Test("schedules restart, whatever the clock and the time since the last reset")
  func schedules() throws {
    let rule = "{\"when\":{\"from\":\"30m\"},\"effect\":{\"status\":503}}"
    let scenario = "{\"name\":\"late\",\"rules\":[\(rule)]}"
    let disk = MemoryDisk(seed: 5)
    let server = try DurableServer(on: disk)
    #expect(server.ask(wire("POST", "/_mock/sandboxes", body: "{\"name\":\"forward\"}")).status == 201)
    #expect(server.ask(wire("POST", "/_mock/sandboxes", body: "{\"name\":\"reset\"}")).status == 201)
    for sandbox in ["forward", "reset"] {
      #expect(server.ask(wire("PUT", "/@\(sandbox)/_mock/scenario", body: scenario)).status == 200)
    }
    #expect(server.ask(wire("POST", "/@reset/_mock/reset")).status == 204)
    #expect(server.ask(wire("PATCH", "/@forward/_mock/clock", body: "{\"advance\":\"1h\"}")).status == 200)
    server.pass(seconds: 3_600)
    func statuses(_ server: DurableServer) -> [Int] {
      ["forward", "reset"].map { server.ask(wire("GET", "/@\($0)/devices")).status }
    }
    #expect(statuses(server) == [503, 503], "the schedule has come to its rule")
    let again = try DurableServer(on: disk, now: 1_700_003_600)
    #expect(statuses(again) == [200, 200])
    again.pass(seconds: 1_799)
    #expect(statuses(again) == [200, 200])
    again.pass(seconds: 1)
    #expect(statuses(again) == [503, 503], "it goes on from there")
  }

  @Test("a change adds the same number of bytes to the log for 20 devices and for 10,000")
  func flatCost() throws {
    var growth: [Int] = []
    for count in [20, 10_000] {
      let devices = (0..<count).map { number in
        "{\"id\":\"D-\(number + 10_000)\",\"type\":\"heating\",\"meterPointDescription\":\"a\",\"installationDate\":null}"
      }
      let disk = MemoryDisk(seed: 4)
      let server = try DurableServer(on: disk)
      let body = "{\"devices\":[\(devices.joined(separator: ","))]}"
      #expect(server.ask(wire("PATCH", "/_mock/state", body: body)).status == 200)
      let before = try #require(disk.bytes(LogFile.name)).count
      server.ask(wire("PATCH", "/devices/D-10007", body: "{\"meterPointDescription\":\"b\"}"))
      growth.append(try #require(disk.bytes(LogFile.name)).count - before)
    }
    #expect(growth[0] == growth[1] && growth[0] < 250, "\(growth)")
  }
}

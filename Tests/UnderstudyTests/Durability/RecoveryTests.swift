import Contract
import JSON
import LiveTesting
import Services
import Testing

@testable import Primitives
@testable import Understudy

@Suite("The state that a start finds")
struct RecoveryTests {
  /// A disk with everything that is stored.
  private static func disk() throws -> MemoryDisk {
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
      wire("PATCH", "/_mock/state", body: "{\"activities\":[],\"house\":{\"temperature\":31.50}}"),
      wire("PATCH", "/_mock/clock", body: "{\"frozen\":true,\"advance\":\"1h\"}"),
      wire("PUT", "/_mock/scenario", body: "\"train\""), wire("GET", "/@ci-1/@house/living-room/tv/on"),
    ]
    for request in requests { #expect(server.ask(request).status < 500, "\(request)") }
    return disk
  }

  private static let files = ["default/state", "default/start", "default/snapshot-s", "ci-1/state", "ci-1/start"]

  @Test("every file is the same after it is read and written again")
  func roundTrip() throws {
    let disk = try Self.disk()
    let server = try DurableServer(on: disk, scenario: "lost-ack")
    let written = Set(server.image.map { String($0.drop { $0 != " " }.dropFirst()) })
    for file in Self.files where file != "default/state" {
      let bytes = try #require(disk.bytes(file))
      #expect(written.contains(String(decoding: bytes, as: UTF8.self)), "\(file)")
    }
    let bytes = try #require(disk.bytes("default/state"))
    let members = try #require(try JSONValue(parsing: bytes).object).members
    let names = Set(members.map(\.name))
    #expect(names.isSuperset(of: ["version", "data", "clock", "scenario", "seed", "keys", "server"]))
  }

  @Test("a mutated file is refused in one line that names it, or is read as a valid one")
  func fuzz() throws {
    let disk = try Self.disk()
    var refused = 0
    let fuzz = Fuzz("stored sandboxes", seed: 11, rounds: 300)
    try fuzz.run { random, note in
      let file = Self.files.randomElement(using: &random) ?? ""
      let sound = disk.bytes(file) ?? []
      var bytes = sound
      for _ in 0...Int.random(in: 0..<2, using: &random) { mutate(&bytes, &random) }
      disk.replace(file, by: bytes)
      defer { disk.replace(file, by: sound) }
      do throws(StartError) {
        for name in ["default", "ci-1"] {
          _ = try StoredSandbox(name, on: disk, at: Instant(seconds: 0), tick: MonotonicInstant(nanoseconds: 0))
        }
      } catch {
        guard case .badState(let detail) = error else { throw error }
        #expect(detail.hasPrefix("/memory/\(file): ") && !detail.contains("\n"), "\(note): \(detail)")
        refused += 1
      }
    }
    #expect(refused > fuzz.rounds / 3)
  }

  /// Changes a text so that it often remains JSON: digits, letters, whole parts.
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
    "an unexpected file is refused with the expectation",
    arguments: [
      ("default/state", "{", "expected JSON"), ("default/state", "[]", "an image of a sandbox"),
      ("default/state", "{\"version\":3}", "expected version 2, found 3"),
      ("default/start", "{\"version\":2}", "an integer as at"),
      ("default/start", "{\"version\":2,\"at\":0,\"dbta\":{}}", "an object with the data of APIs"),
      ("default/start", "{\"version\":2,\"at\":0,\"data\":{\"garden\":[]}}", "the name of an API, found \"garden\""),
      ("default/start", "{\"version\":2,\"at\":0,\"data\":{\"devices\":[{\"id\":1}]}}", "at /data/devices/0"),
    ])
  func misfits(file: String, content: String, expectation: String) throws {
    let disk = try Self.disk()
    disk.replace(file, by: Array(content.utf8))
    let error = #expect(throws: StartError.self) { try DurableServer(on: disk) }
    #expect(error?.description.contains("/memory/\(file): ") == true, "\(error?.description ?? "")")
    #expect(error?.description.contains(expectation) == true, "\(error?.description ?? "")")
  }

  @Test(
    "a state without one of its members, or with one of another type, is refused instead of read as fresh",
    arguments: [
      ("\"data\":", "\"dbta\":", "an object with the data of APIs"), ("\"keys\":[", "\"keyz\":[", "an array as keys"),
      ("\"version\":2", "\"version\":2,\"port\":70000", "an integer from 1 to 65535 as port, found 70000"),
      ("\"ttl\":", "\"ttl\":\"1h\",\"tti\":", "as ttl, found \"1h\""),
    ])
  func missingMembers(member: String, other: String, expectation: String) throws {
    let disk = try Self.disk()
    let state = String(decoding: try #require(disk.bytes("ci-1/state")), as: UTF8.self)
    #expect(state.contains(member))
    disk.replace("ci-1/state", by: Array(state.replacing(member, with: other, maxReplacements: 1).utf8))
    let error = #expect(throws: StartError.self) { try DurableServer(on: disk) }
    #expect(error?.description.contains(expectation) == true, "\(error?.description ?? "")")
  }

  @Test("a name that was generated is not generated again after its sandbox was deleted and power has failed")
  func deletedName() throws {
    let disk = MemoryDisk(seed: 4)
    let server = try DurableServer(on: disk)
    #expect(server.ask(wire("POST", "/_mock/sandboxes", body: "{}")).text.contains("sandbox-1"))
    let deletion = server.begin([wire("DELETE", "/_mock/sandboxes/sandbox-1")])
    let refused = server.application.state.commit()
    for connection in deletion { connection.resolve(afterRefusing: refused) }
    #expect(server.responses(deletion).map(\.status) == [204])
    let again = try DurableServer(on: disk.afterPowerLoss(seed: 4))
    #expect(again.ask(wire("POST", "/_mock/sandboxes", body: "{}")).text.contains("sandbox-2"))
  }

  @Test("directories without a state, as after a crash during a creation or a deletion, are removed")
  func leftovers() throws {
    let disk = MemoryDisk(seed: 3)
    let server = try DurableServer(on: disk)
    try disk.makeDirectory("half")
    try disk.write([1], to: "half/state.new")
    let again = try DurableServer(on: disk)
    #expect(again.image == server.image)
    #expect(try disk.names(in: nil) == ["default"])
    #expect(again.ask(wire("POST", "/_mock/sandboxes", body: "{\"name\":\"half\"}")).status == 201)
  }

  @Test("files of other programs in the directory stay as they are, even beside the files of a sandbox")
  func otherFiles() throws {
    let disk = MemoryDisk(seed: 6)
    let files = ["docs/notes", "bin/start", "backups/snapshot-monday", "src/main", "src/state.new"]
    for file in files {
      try disk.makeDirectory(String(file.prefix { $0 != "/" }))
      try disk.write([7], to: file)
    }
    let server = try DurableServer(on: disk)
    #expect(server.ask(wire("POST", "/_mock/sandboxes", body: "{\"name\":\"docs\"}")).status == 201)
    #expect(server.ask(wire("DELETE", "/_mock/sandboxes/docs")).status == 204)
    _ = try DurableServer(on: disk)
    for file in files { #expect(disk.bytes(file) == [7], "\(file)") }
    #expect(disk.bytes("docs/state") == nil)
  }

  @Test("a snapshot that is stored again after a restart is the new one, even at the same time of the clock")
  func snapshotAgain() throws {
    let disk = MemoryDisk(seed: 7)
    for day in 1...2 {
      let server = try DurableServer(on: disk)
      #expect(server.ask(dated(day)).status == 200)
      #expect(server.ask(wire("PUT", "/_mock/snapshots/a")).status < 300)
    }
    let server = try DurableServer(on: disk)
    #expect(server.ask(dated(3)).status == 200)
    #expect(server.ask(wire("POST", "/_mock/snapshots/a/restore")).status < 300)
    #expect(server.ask(wire("GET", "/devices/WWM-0001-12")).text.contains("2023-07-02"))
  }

  @Test("the log of an earlier version is refused in one line that says what to do")
  func earlierVersion() throws {
    let disk = MemoryDisk(seed: 4)
    try disk.makeDirectory("state.log")
    let error = #expect(throws: StartError.self) { try DurableServer(on: disk) }
    #expect(error?.description.contains("/memory/state.log: the state of an earlier understudy") == true)
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
}

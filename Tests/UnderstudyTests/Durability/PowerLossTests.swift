import Contract
import Foundation
import JSON
import LiveTesting
import Platform
import Primitives
import Testing

@testable import Understudy

@Suite("A loss of power, or a disk error")
struct PowerLossTests {
  /// Turns of requests that change everything that is stored. Each turn visibly changes the state.
  private static let turns: [[String]] = [
    [date(1), date(2, of: "HEA-5513-39"), wire("GET", "/devices")],
    [book("k1"), book("k2")],
    [wire("POST", "/_mock/sandboxes", body: "{\"name\":\"ci-1\",\"seed\":7,\"scenario\":\"edge\",\"ttl\":\"1h\"}")],
    [
      wire("PUT", "/_mock/snapshots/first"), wire("GET", "/living-room/tv/on"), date(3),
      wire("PATCH", "/@ci-1/_mock/state", body: "{\"house\":{\"temperature\":31}}"),
    ],
    [wire("POST", "/activities/7830", body: "{\"is_archived\":true}"), book("k3")],
    [wire("PATCH", "/_mock/clock", body: "{\"advance\":\"30s\",\"frozen\":true}")],
    [wire("POST", "/_mock/snapshots/first/restore"), date(4)],
    [wire("PUT", "/@ci-1/_mock/scenario", body: "\"calm\""), wire("GET", "/reset")],
    [wire("POST", "/@ci-1/_mock/reset"), wire("GET", "/kitchen/light/on")],
    [wire("DELETE", "/_mock/sandboxes/ci-1"), date(5)],
  ]

  private static func date(_ day: Int, of id: String = "WWM-0001-12") -> String {
    wire("PATCH", "/devices/\(id)", body: "{\"installationDate\":\"2023-07-0\(day)T08:00:00Z\"}")
  }

  private static func book(_ key: String) -> String {
    wire("POST", "/book", "Idempotency-Key: \(key)", body: "{\"name\":\"Ljerka\"}")
  }

  /// Returns the image after each turn on a disk without faults, and the number of disk operations.
  private static func reference() throws -> (images: [[String]], operations: Int) {
    let disk = MemoryDisk(seed: 0)
    let server = try DurableServer(on: disk)
    var images = [server.image]
    for turn in turns {
      for response in server.turn(turn) {
        #expect((200..<300).contains(response.status), "\(response.head)\(response.text)")
      }
      images.append(server.image)
    }
    return (images, disk.operations)
  }

  /// The operations of the first image: make the directory, write two files, rename them, and synchronize the names.
  private static let startOperations = 11

  /// The number of ways in which each loss of power is tried; an environment variable sets more.
  private static let rounds =
    ProcessInfo.processInfo.environment["UNDERSTUDY_POWER_ROUNDS"].flatMap { UInt64($0) }
    ?? UInt64(WholeProof.rounds(1, of: 4))

  @Test("a restarted server has the same state, after every kind of change")
  func restart() throws {
    let disk = MemoryDisk(seed: 1)
    for end in 0...Self.turns.count {
      let server = try DurableServer(on: disk)
      if end > 0 { _ = server.turn(Self.turns[end - 1]) }
      let again = try DurableServer(on: disk.afterPowerLoss(seed: UInt64(end)))
      #expect(again.image == server.image, "after turn \(end)")
    }
  }

  @Test("a loss of power at any operation keeps all acknowledged changes, and adds none")
  func powerLoss() throws {
    let (images, operations) = try Self.reference()
    #expect(operations > Self.turns.count * 2)
    var tried = 0
    for operation in 1...operations {
      for seed in 0..<Self.rounds {
        let disk = MemoryDisk(seed: seed)
        disk.action = { $0 == operation ? .powerLoss : nil }
        var acknowledged = 0
        if let server = try? DurableServer(on: disk) {
          for turn in Self.turns where server.turn(turn).allSatisfy({ (200..<300).contains($0.status) }) {
            acknowledged += 1
          }
        } else {
          #expect(operation <= Self.startOperations)
        }
        let left = disk.afterPowerLoss(seed: seed &* 31 &+ UInt64(operation))
        let again = try DurableServer(on: left)
        #expect(
          Self.isBetween(again.image, images[acknowledged...].prefix(2)),
          "operation \(operation), seed \(seed): \(acknowledged) turns were acknowledged")
        tried += 1
      }
    }
    #expect(tried == operations * Int(Self.rounds))
  }

  @Test("a loss of power during overlapping commits keeps all acknowledged changes")
  func powerLossDuringOverlap() throws {
    let (images, operations) = try Self.reference()
    for operation in (Self.startOperations + 1)...operations {
      let disk = MemoryDisk(seed: UInt64(operation))
      disk.action = { $0 == operation ? .powerLoss : nil }
      let server = try DurableServer(on: disk)
      var acknowledged = 0
      var waiting: [HeldConnection] = []
      var commit: Commit?
      // Each turn is requested during the commit of the previous one.
      for turn in Self.turns + [[]] {
        let next = server.begin(turn)
        if let commit {
          let refused = server.application.state.endCommit(commit.run())
          for connection in waiting { connection.resolve(afterRefusing: refused) }
          for connection in next { connection.resolve(afterRefusing: refused, isLater: true) }
          // What a client has received counts; a response that still waits has no status.
          if server.responses(waiting).allSatisfy({ (200..<300).contains($0.status) }) { acknowledged += 1 }
        }
        commit = server.application.state.beginCommit()
        waiting = next
      }
      let again = try DurableServer(on: disk.afterPowerLoss(seed: UInt64(operation)))
      #expect(
        Self.isBetween(again.image, images[acknowledged...].prefix(2)),
        "operation \(operation): \(acknowledged) were acknowledged")
    }
  }

  @Test(
    "a single disk error refuses the turn's changes with 507, and leaves the state unchanged",
    arguments: [28, 5])
  func failsOnce(code: Int32) throws {
    let (images, operations) = try Self.reference()
    var unrefused = 0
    for operation in (Self.startOperations + 1)...operations {
      let disk = MemoryDisk(seed: UInt64(operation))
      disk.action = { $0 == operation ? .error(code) : nil }
      let server = try DurableServer(on: disk)
      var refusals = 0
      for (index, turn) in Self.turns.enumerated() {
        let responses = server.turn(turn)
        if responses.contains(where: { $0.status == 507 }) {
          refusals += 1
          #expect(responses.allSatisfy { $0.status == 507 || $0.status < 300 && turn.count > 1 })
          #expect(
            Self.isBetween(server.image, images[index...].prefix(2)),
            "operation \(operation): turn \(index) was taken back")
          // Maintenance writes an image in doubt again, and what was refused is requested again.
          server.runMaintenance()
          let refused = zip(turn, responses).filter { $1.status == 507 }.map(\.0)
          for response in server.turn(refused) { #expect((200..<300).contains(response.status), "\(response.head)") }
        }
        #expect(try Self.same(server.image, images[index + 1]), "operation \(operation), turn \(index)")
      }
      #expect(refusals <= 1, "operation \(operation)")
      unrefused += 1 - refusals
      let again = try DurableServer(on: disk.afterPowerLoss(seed: UInt64(operation)))
      #expect(again.image == server.image, "operation \(operation)")
    }
    // A deletion is durable when the state is removed; the removal of the file that is left may fail without a refusal.
    #expect(unrefused == 1)
  }

  /// Returns true if each file is as in one of two images that follow each other: a turn changes several files, and each of
  /// them is replaced as a whole.
  private static func isBetween(_ image: [String], _ images: ArraySlice<[String]>) -> Bool {
    let known = Set(images.joined())
    let unchanged = images.map { Set($0) }.reduce(known) { $0.intersection($1) }
    return known.isSuperset(of: image) && unchanged.isSubset(of: image)
  }

  /// Returns true if two images differ in times only: the turn was requested a second later.
  private static func same(_ image: [String], _ other: [String]) throws -> Bool {
    func plain(_ image: [String]) -> [String] {
      image.map { text in
        text.replacing(/17000000\d\d000000000/, with: "then").replacing(/2023-11-14T22:13:2\dZ/, with: "then")
      }
    }
    return plain(image) == plain(other)
  }

  @Test("if a turn fails, the first of two requests with one key is refused, and the second is applied once")
  func keyedTwins() throws {
    let disk = MemoryDisk(seed: 8)
    let server = try DurableServer(on: disk)
    let next = disk.operations + 1
    disk.action = { $0 == next ? .error(28) : nil }
    #expect(server.turn([Self.book("k1"), Self.book("k1")]).map(\.status) == [507, 200])
    #expect(server.ask(Self.book("k1")).status == 200)
    #expect(server.ask(wire("GET", "/rooms.json")).text.contains("{\"name\":\"Ljerka\",\"spots\":42,"))
    let again = try DurableServer(on: disk.afterPowerLoss(seed: 8))
    #expect(again.image == server.image)
    #expect(again.ask(Self.book("k1")).text == "{\"success\":true}")
    #expect(again.image == server.image, "the stored response was found, and no spot was booked")
  }

  @Test("a full disk refuses changes but not reads, and changes succeed when there is room again")
  func recovers() throws {
    let disk = MemoryDisk(seed: 3)
    let server = try DurableServer(on: disk)
    #expect(server.ask(Self.date(1)).status == 200)
    let before = server.image
    let isFull = Locked(true)
    disk.action = { _ in isFull.withLock { $0 } ? .error(28) : nil }
    for _ in 0..<3 {
      let responses = server.turn([Self.date(2), wire("GET", "/devices/WWM-0001-12"), Self.book("full")])
      #expect(responses.map(\.status) == [507, 200, 507])
      #expect(responses[0]["Content-Type"] == "application/problem+json")
      #expect(
        responses[0].text.contains("urn:understudy:problem:not-kept") && responses[0].text.contains("No space left"))
      #expect(responses[1].text.contains("2023-07-01"), "a read in the failed turn gets the state before the turn")
      #expect(server.image == before)
      server.runMaintenance()
    }
    isFull.withLock { $0 = false }
    server.runMaintenance()
    #expect(server.turn([Self.date(2), Self.book("full")]).map(\.status) == [200, 200])
    #expect(server.ask(Self.book("full")).text == "{\"success\":true}")
    #expect(try DurableServer(on: disk.afterPowerLoss(seed: 4)).image == server.image)
  }
}

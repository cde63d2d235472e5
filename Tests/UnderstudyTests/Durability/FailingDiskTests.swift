import Foundation
import LiveTesting
import Platform
import Primitives
import Testing

@testable import Understudy

@Suite("Images in doubt", .temporaryFiles)
struct FailingDiskTests {
  /// The operations of a change of one sandbox: create, write, synchronize, rename, synchronize the directory.
  private static let operationCount = 5

  private static let read = wire("GET", "/devices/WWM-0001-12")

  @Test("a failed write or synchronization of a file refuses the change, and the old image stays", arguments: 1...3)
  func refused(operation: Int) throws {
    for seed in UInt64(0)..<10 {
      let disk = MemoryDisk(seed: seed)
      let server = try DurableServer(on: disk)
      #expect(server.ask(dated(1)).status == 200)
      let before = disk.bytes("default/state")
      let failing = disk.operations + operation
      disk.action = { $0 == failing ? .error(28) : nil }
      #expect(server.turn([dated(2), Self.read]).map(\.status) == [507, 200])
      #expect(disk.bytes("default/state") == before)
      #expect(server.ask(dated(3)).status == 200, "nothing is in doubt")
      #expect(try DurableServer(on: disk.afterPowerLoss(seed: seed)).image == server.image)
    }
  }

  @Test(
    "after a failed renaming, or a failed synchronization of names, nothing is shown until the old image stands again",
    arguments: 4...5)
  func inDoubt(operation: Int) throws {
    for seed in UInt64(0)..<10 {
      let disk = MemoryDisk(seed: seed)
      let server = try DurableServer(on: disk)
      #expect(server.ask(wire("POST", "/_mock/sandboxes", body: #"{"name":"ci"}"#)).status == 201)
      #expect(server.ask(dated(1)).status == 200)
      let failing = disk.operations + operation
      disk.action = { $0 >= failing ? .error(5) : nil }
      #expect(server.ask(dated(2)).status == 507)
      let reading = server.begin([Self.read])
      #expect(reading.map(\.awaitsCommit) == [true])
      #expect(server.ask(wire("GET", "/_mock/health")).status == 200)
      #expect(server.ask(wire("GET", "/@ci/devices")).status == 200, "another sandbox is not in doubt")
      server.runMaintenance(reading)
      #expect(reading.map(\.awaitsCommit) == [true], "the disk still fails")
      disk.action = { _ in nil }
      server.runMaintenance(reading)
      #expect(server.responses(reading)[0].text.contains("2023-07-01"))
      #expect(try DurableServer(on: disk.afterPowerLoss(seed: seed)).image == server.image)
    }
  }

  @Test("a change of a sandbox whose image is in doubt is stored with a complete image")
  func changeInDoubt() throws {
    let disk = MemoryDisk(seed: 1)
    let server = try DurableServer(on: disk)
    #expect(server.ask(wire("PUT", "/_mock/snapshots/a")).status == 201)
    let failing = disk.operations + Self.operationCount
    disk.action = { $0 == failing ? .error(5) : nil }
    #expect(server.ask(dated(2)).status == 507)
    #expect(server.ask(dated(3)).status == 200)
    #expect(server.ask(Self.read).text.contains("2023-07-03"))
    #expect(try DurableServer(on: disk.afterPowerLoss(seed: 1)).image == server.image)
  }

  @Test("a refused sandbox leaves nothing behind, and its name is free")
  func refusedSandbox() throws {
    for operation in 1...11 {
      let disk = MemoryDisk(seed: UInt64(operation))
      let server = try DurableServer(on: disk)
      let made = wire("POST", "/_mock/sandboxes", body: #"{"name":"ci"}"#)
      let failing = disk.operations + operation
      disk.action = { $0 == failing ? .error(5) : nil }
      #expect(server.ask(made).status == 507, "operation \(operation)")
      #expect(server.ask(wire("GET", "/@ci/devices")).status == 404)
      server.runMaintenance()
      #expect(try DurableServer(on: disk.afterPowerLoss(seed: 1)).image == server.image)
      #expect(server.ask(made).status == 201)
      #expect(try DurableServer(on: disk.afterPowerLoss(seed: 1)).image == server.image)
    }
  }

  @Test("a deletion whose disk fails once is carried out, or is refused and changes nothing")
  func refusedDeletion() throws {
    var statuses: Set<Int> = []
    for operation in 1...20 {
      let disk = MemoryDisk(seed: UInt64(operation))
      let server = try DurableServer(on: disk)
      let made = server.ask(wire("POST", "/_mock/sandboxes", body: "{}"))
      #expect(made.status == 201 && made.text.contains("sandbox-1"))
      let failing = disk.operations + operation
      disk.action = { $0 == failing ? .error(5) : nil }
      let deleted = server.ask(wire("DELETE", "/_mock/sandboxes/sandbox-1")).status
      statuses.insert(deleted)
      disk.action = { _ in nil }
      server.runMaintenance()
      #expect(
        server.ask(wire("GET", "/@sandbox-1/devices")).status == (deleted == 204 ? 404 : 200), "operation \(operation)")
      let again = try DurableServer(on: disk.afterPowerLoss(seed: 1))
      #expect(again.image == server.image, "operation \(operation)")
      #expect(again.ask(wire("POST", "/_mock/sandboxes", body: "{}")).text.contains("sandbox-2"))
    }
    #expect(statuses == [204, 507])
  }

  private static let shortLived = wire("POST", "/_mock/sandboxes", body: #"{"name":"ci","ttl":"10s"}"#)

  @Test(
    "a sandbox whose time ends while its image is in doubt is deleted, and never written again",
    arguments: [false, true])
  func expiredInDoubt(failsLonger: Bool) throws {
    let disk = MemoryDisk(seed: 1)
    let server = try DurableServer(on: disk)
    #expect(server.ask(Self.shortLived).status == 201)
    let failing = disk.operations + 4
    disk.action = { $0 >= failing ? .error(5) : nil }
    #expect(server.ask(wire("GET", "/@ci/living-room/tv/on")).status == 507)
    server.pass(seconds: 11)
    if failsLonger {
      server.runMaintenance()
      #expect(try disk.names(in: "ci").contains("state"), "the disk refused the deletion")
    }
    disk.action = { _ in nil }
    server.runMaintenance()
    let operations = disk.operations
    server.runMaintenance()
    #expect(disk.operations == operations, "nothing is in doubt")
    #expect(try disk.names(in: nil) == ["default"])
    #expect(server.ask(wire("GET", "/@ci/devices")).status == 404)
    #expect(try DurableServer(on: disk.afterPowerLoss(seed: 1)).image == server.image)
  }

  @Test("a sandbox whose time ends while its image is written is deleted", arguments: [false, true])
  func expiredDuringCommit(isRefused: Bool) throws {
    let disk = MemoryDisk(seed: 2)
    let server = try DurableServer(on: disk)
    #expect(server.ask(Self.shortLived).status == 201)
    let writing = server.begin([wire("GET", "/@ci/living-room/tv/on")])
    let commit = try #require(server.application.state.beginCommit())
    server.pass(seconds: 11)
    server.application.state.runMaintenance(at: server.application.tick)
    if isRefused { disk.action = { _ in .error(5) } }
    let refused = server.application.state.endCommit(commit.run())
    for connection in writing { connection.resolve(afterRefusing: refused) }
    #expect(server.responses(writing).map(\.status) == [isRefused ? 507 : 200])
    disk.action = { _ in nil }
    server.runMaintenance()
    #expect(try disk.names(in: nil) == ["default"])
    #expect(try DurableServer(on: disk.afterPowerLoss(seed: 2)).image == server.image)
  }

  @Test("a change of one sandbox is stored although that of another is refused in the same round")
  func others() throws {
    let disk = MemoryDisk(seed: 1)
    let server = try DurableServer(on: disk)
    #expect(server.ask(wire("POST", "/_mock/sandboxes", body: #"{"name":"ci"}"#)).status == 201)
    let failing = disk.operations + 1
    disk.action = { $0 == failing ? .error(28) : nil }
    let turn = [dated(1), wire("GET", "/@ci/living-room/tv/on"), wire("GET", "/@ci/@house/state")]
    let responses = server.turn(turn)
    #expect(responses.map(\.status) == [507, 200, 200])
    #expect(responses[2].text.contains(#""TV":true"#))
    #expect(try DurableServer(on: disk.afterPowerLoss(seed: 1)).image == server.image)
  }

  @Test("a directory that another program removed refuses changes, and reads still work")
  func removedDirectory() throws {
    let path = TemporaryFiles.newDirectory().path
    let server = try DurableServer(on: try KernelDisk(path))
    #expect(server.ask(dated(1)).status == 200)
    try FileManager.default.removeItem(atPath: path)
    #expect(server.turn([dated(2), Self.read]).map(\.status) == [507, 200])
    #expect(server.notices.all.count == 1 && server.notices.all[0].contains(path), "\(server.notices.all)")
    let other = try DurableServer(on: try KernelDisk(path))
    let file = FileManager.default.contents(atPath: path + "/default/state")
    #expect(server.ask(dated(2)).status == 507)
    let later = FileManager.default.contents(atPath: path + "/default/state")
    #expect(file != nil && later == file, "nothing is written into the directory of another server")
    withExtendedLifetime(other) {}
  }
}

import Foundation
import JSON
import Platform
import Primitives
import Services
import Testing

@testable import StateLog
@testable import Understudy

@Suite("Failures of the disk")
struct FailingDiskTests {
  /// The assumption of the tests below: Linux's page cache has behaved like this since 4.16.
  @Test("the memory disk marks pages as clean that a failed synchronization did not write")
  func cleanPages() throws {
    var lost = 0
    for seed in UInt64(0)..<20 {
      let disk = MemoryDisk(seed: seed)
      let file = try disk.create("file")
      try disk.synchronize()
      let failing = disk.operations + 2
      disk.action = { $0 == failing ? .error(5) : nil }
      try file.write(Array(repeating: 1, count: 10_000), at: 0)
      #expect(throws: SystemError.self) { try file.synchronize() }
      try file.write([2], at: 9_999)
      try file.synchronize()
      let left = try #require(disk.afterPowerLoss(seed: seed).bytes("file"))
      #expect(left.count == 10_000 && left.last == 2)
      if left.dropLast().contains(0) { lost += 1 }
    }
    #expect(lost > 0, "a second synchronization does not write the pages of the first")
  }

  @Test("after a failed fsync, no change is acknowledged before the file has been replaced")
  func failedSynchronization() throws {
    for seed in UInt64(0)..<30 {
      let disk = MemoryDisk(seed: seed)
      let server = try DurableServer(on: disk)
      #expect(server.ask(dated(1)).status == 200)
      let failing = disk.operations + 2
      disk.action = { $0 == failing ? .error(5) : nil }
      #expect(server.ask(dated(2)).status == 507, "the write succeeded, and its synchronization failed")
      #expect(server.ask(dated(3)).status == 507, "the file is in doubt, although the disk works again")
      server.runMaintenance()
      #expect(server.ask(dated(4)).status == 200)
      let again = try DurableServer(on: disk.afterPowerLoss(seed: seed))
      #expect(again.image == server.image)
    }
  }

  @Test("a log that could not be rewritten is long again once its minimum was appended, and not before")
  func failedRewrite() throws {
    let disk = MemoryDisk(seed: 1)
    let log = LogFile(on: disk)
    try log.rewrite([1])
    try log.append([UInt8](repeating: 1, count: LogFile.minimumRewrite))
    #expect(log.isLong)
    disk.action = { _ in .error(28) }
    #expect(throws: SystemError.self) { try log.rewrite([1]) }
    disk.action = { _ in nil }
    #expect(!log.isLong)
    try log.append([UInt8](repeating: 2, count: LogFile.minimumRewrite - 100))
    #expect(!log.isLong)
    try log.append([UInt8](repeating: 3, count: 100))
    #expect(log.isLong)
  }

  @Test("a write that fails halfway leaves the file unchanged")
  func tornEnd() throws {
    for seed in UInt64(0)..<10 {
      let disk = MemoryDisk(seed: seed)
      let server = try DurableServer(on: disk)
      #expect(server.ask(dated(1)).status == 200)
      let before = try #require(disk.bytes("state.log"))
      let failing = disk.operations + 1
      disk.action = { $0 == failing ? .error(28) : nil }
      #expect(server.ask(dated(2)).status == 507)
      #expect(disk.bytes("state.log") == before)
      #expect(server.ask(dated(3)).status == 200, "the file is not in doubt")
      let again = try DurableServer(on: disk.afterPowerLoss(seed: seed))
      #expect(again.notices.all.isEmpty, "there is no torn end: \(again.notices.all)")
      #expect(again.image == server.image)
    }
  }

  @Test("data that no sandbox uses is removed when the log is rewritten")
  func oldData() throws {
    let disk = MemoryDisk(seed: 1)
    let server = try DurableServer(on: disk)
    let application = server.application
    for number in 1...5 {
      application.state.adopt(
        try application.state.seeds.merging(["house": ["temperature": .int(number)]]))
      if number == 2 { server.ask(wire("POST", "/_mock/sandboxes", body: "{\"name\":\"old\"}")) }
    }
    while application.state.isUncommitted { _ = application.state.commit() }
    application.state.writeAheadLog?.log.markInDoubt()
    server.runMaintenance()
    #expect(
      application.state.persistedSeeds.count == 3, "the newest data, the default sandbox's, and the old sandbox's")
    server.ask(wire("DELETE", "/_mock/sandboxes/old"))
    application.state.writeAheadLog?.log.markInDoubt()
    server.runMaintenance()
    #expect(application.state.persistedSeeds.count == 2)
    let again = try DurableServer(on: disk.afterPowerLoss(seed: 1))
    #expect(again.application.state.persistedSeeds.count == 3, "with the data of the new server")
  }

  @Test("a file that cannot be synchronized throws the kernel's error")
  func kernel() throws {
    let path = NSTemporaryDirectory() + "understudy-" + UUID().uuidString
    defer { _ = unsafe unlink(path) }
    try #require(unsafe mkfifo(path, 0o600) == 0)
    let pipe = try KernelFile(path, O_RDWR)
    #expect(throws: SystemError.self, "a pipe cannot be synchronized") { try pipe.synchronize() }
    #expect(throws: SystemError.self, "nor cut") { try pipe.truncate(to: 0) }
  }
}

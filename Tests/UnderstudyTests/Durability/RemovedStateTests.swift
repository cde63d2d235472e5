import Foundation
import Platform
import Testing

@testable import StateLog
@testable import Understudy

@Suite("A state directory that another program removes")
struct RemovedStateTests {
  /// A directory that is removed with the value.
  fileprivate final class Scratch {
    let path = NSTemporaryDirectory() + "understudy-" + UUID().uuidString
    var log: String { path + "/" + LogFile.name }
    deinit { remove() }
    func remove() { try? FileManager.default.removeItem(atPath: path) }
  }

  enum Change: String, CaseIterable, Sendable {
    case unlinkedLog, movedLog, replacedLog, removedDirectory, movedDirectory, replacedDirectory

    fileprivate func apply(_ scratch: Scratch) throws {
      let manager = FileManager.default
      let bytes = try #require(manager.contents(atPath: scratch.log))
      switch self {
      case .unlinkedLog: try manager.removeItem(atPath: scratch.log)
      case .movedLog: try manager.moveItem(atPath: scratch.log, toPath: scratch.path + "/other")
      case .replacedLog:
        try manager.removeItem(atPath: scratch.log)
        try bytes.write(to: URL(filePath: scratch.log))
      case .removedDirectory: scratch.remove()
      case .movedDirectory: try manager.moveItem(atPath: scratch.path, toPath: scratch.path + "-moved")
      case .replacedDirectory:
        scratch.remove()
        try manager.createDirectory(atPath: scratch.path, withIntermediateDirectories: false)
      }
    }
  }

  @Test(
    "is detected by the next change, which is refused and reported once; then the state is stored again",
    arguments: Change.allCases)
  func recovers(change: Change) throws {
    let scratch = Scratch()
    defer { try? FileManager.default.removeItem(atPath: scratch.path + "-moved") }
    let server = try DurableServer(on: try KernelDisk(scratch.path))
    #expect(server.ask(dated(1)).status == 200)
    try change.apply(scratch)
    #expect(server.turn([dated(2), wire("GET", "/devices/WWM-0001-12")]).map(\.status) == [507, 200])
    #expect(server.ask(dated(2)).status == 507)
    #expect(server.notices.all.count == 1, "\(server.notices.all)")
    #expect(server.notices.all.first?.contains(scratch.log) == true)
    server.runMaintenance()
    #expect(server.notices.all.last?.contains("changes can be stored again") == true)
    #expect(server.ask(dated(3)).status == 200)
    #expect(throws: OpeningError.self, "the first server has still locked the directory") {
      try KernelDisk(scratch.path)
    }
    #expect(try DurableServer(on: Copy.of(scratch.log)).image == server.image)
  }

  @Test("keeps the long log if no descriptor is free for a shorter one, which is reported once and tried again later")
  func triesAgain() throws {
    let disk = MemoryDisk(seed: 5)
    let server = try DurableServer(on: disk)
    let text = String(repeating: "x", count: 100_000)
    disk.hasNoDescriptor = true
    for number in 0..<30 {
      let body = "{\"meterPointDescription\":\"\(number) \(text)\"}"
      #expect(server.ask(wire("PATCH", "/devices/WWM-0001-12", body: body)).status == 200)
    }
    #expect(server.notices.all.count == 1)
    #expect(server.notices.all.first?.contains("Too many open files") == true)
    for _ in 0..<10 { server.runMaintenance() }
    #expect(server.notices.all.count == 1)
    disk.hasNoDescriptor = false
    let long = try #require(disk.bytes(LogFile.name)).count
    for _ in 0..<128 { server.runMaintenance() }
    #expect(try #require(disk.bytes(LogFile.name)).count < long / 4)
    #expect(server.notices.all.count == 2)
    #expect(server.ask(dated(1)).status == 200)
    #expect(try DurableServer(on: disk.afterPowerLoss(seed: 6)).image == server.image)
  }
}

/// A copy of a file's content on another disk.
private enum Copy {
  static func of(_ path: String) throws -> MemoryDisk {
    let disk = MemoryDisk(seed: 0)
    let bytes = try File.read(path, atMost: 1 << 24)
    let file = try disk.create(LogFile.name)
    try file.write(bytes, at: 0)
    return disk
  }
}

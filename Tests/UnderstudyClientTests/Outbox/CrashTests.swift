import Foundation
import LiveTesting
import Testing

@testable import UnderstudyClient

@Suite("A crash at any point", .temporaryFiles)
struct CrashTests {
  static let days = (0..<6).map { Date(timeIntervalSince1970: 1_688_000_000 + Double($0) * 86_400) }

  private func outbox(_ store: MemoryFileStore) throws -> DeviceOutbox {
    try DeviceOutbox(.scripted(DeviceServer([])), path: "/d/outbox", parallelism: 1, store: store)
  }

  /// Records until the machine stops.
  ///
  /// - Returns: The records that returned, and the last one that was attempted.
  private func record(on store: MemoryFileStore) async throws -> (acknowledged: [String: Date], last: (String, Date)?) {
    let outbox = try outbox(store)
    var acknowledged: [String: Date] = [:]
    for (number, day) in Self.days.enumerated() {
      let id = "D\(number % 4)"
      do {
        try await outbox.record(day, for: id)
        acknowledged[id] = day
      } catch {
        return (acknowledged, (id, day))
      }
    }
    return (acknowledged, nil)
  }

  @Test("loses no acknowledged record and invents none")
  func everyStep() async throws {
    let whole = MemoryFileStore()
    _ = try await record(on: whole)
    #expect(whole.stepCount == 4 * Self.days.count)
    var found = 0
    for step in 0...whole.stepCount {
      for luck in MemoryFileStore.Luck.allCases {
        for renamesSurvive in [true, false] {
          let store = MemoryFileStore(crashAfter: step)
          let (acknowledged, last) = try await record(on: store)
          let after = try outbox(store.afterCrash(luck, renamesSurvive: renamesSurvive))
          #expect(await after.damagedFile == nil)
          var dates: [String: Date] = [:]
          for entry in await after.pending { dates[entry.deviceID] = entry.installationDate?.date }
          // The record during the crash may or may not be stored; everything else is as acknowledged.
          var withLast = acknowledged
          if let last { withLast[last.0] = last.1 }
          #expect(dates == acknowledged || dates == withLast, "step \(step), \(luck)")
          try await after.record(Self.days[0], for: "next")
          #expect(await after.pending.count == dates.count + 1)
          found += 1
        }
      }
    }
    #expect(found == 25 * 6)
  }

  @Test("a step that fails is an error of its own record only, and no change by another process")
  func failure() async throws {
    for step in 0..<4 * Self.days.count {
      let store = MemoryFileStore(failingAfter: step)
      let outbox = try outbox(store)
      var recorded: [String: Date] = [:]
      for (number, day) in Self.days.enumerated() {
        do {
          try await outbox.record(day, for: "D\(number)")
          recorded["D\(number)"] = day
        } catch {
          #expect(number == step / 4)
        }
      }
      #expect(recorded.count == Self.days.count - 1)
      try await outbox.record(Self.days[0], for: "next")
      recorded["next"] = Self.days[0]
      for outbox in [outbox, try self.outbox(store.relaunched())] {
        var dates: [String: Date] = [:]
        for entry in await outbox.pending { dates[entry.deviceID] = entry.installationDate?.date }
        #expect(dates == recorded, "step \(step)")
      }
    }
  }

  @Test("a file cut at any byte is set aside unchanged, and reported")
  func everyLength() async throws {
    let store = MemoryFileStore()
    _ = try await record(on: store)
    let whole = try #require(store.files["/d/outbox"])
    for length in 0..<whole.count {
      let torn = MemoryFileStore(files: ["/d/outbox": whole.prefix(length), "/d/outbox.damaged-1": Data([1])])
      let outbox = try outbox(torn)
      #expect(await outbox.damagedFile?.path == "/d/outbox.damaged-2")
      #expect(torn.files["/d/outbox.damaged-2"] == whole.prefix(length))
      #expect(torn.files["/d/outbox.damaged-1"] == Data([1]))
      #expect(await outbox.pending.isEmpty)
    }
    let intact = try outbox(MemoryFileStore(files: ["/d/outbox": whole]))
    #expect(await intact.pending.count == 4)
  }

  @Test("a file that is damaged, foreign or of another version is set aside")
  func foreign() async throws {
    let store = MemoryFileStore()
    _ = try await record(on: store)
    let whole = try #require(store.files["/d/outbox"])
    var files = whole.indices.map { index in
      var changed = whole
      changed[index] ^= 0x10
      return changed
    }
    files.append(Data("understudy-outbox 2 0 0\n".utf8))
    files.append(Data(#"{"pending": []}"#.utf8))
    files.append(whole + Data("more".utf8))
    for file in files {
      let store = MemoryFileStore(files: ["/d/outbox": file])
      #expect(try await outbox(store).damagedFile?.path == "/d/outbox.damaged-1")
      #expect(store.files["/d/outbox.damaged-1"] == file)
    }
  }

  @Test("the error of a file that could not be read at first ends when the file is found missing")
  func missingLater() {
    let store = MemoryFileStore(files: [:], failingReads: 1)
    let value = StoredValue(DurableFile(path: "/d/value", kind: "value", store: store), initial: 0)
    #expect(value.failure != nil)
    #expect(value.failure == nil)
  }

  @Test("on a real disk a file is written, found again and replaced")
  func realDisk() async throws {
    let directory = TemporaryFiles.newDirectory()
    let file = directory.appendingPathComponent("outbox")
    let first = try DeviceOutbox(.scripted(DeviceServer([])), file: file)
    for (number, day) in Self.days.enumerated() { try await first.record(day, for: "D\(number)") }
    let copy = TemporaryFiles.newDirectory()
    try FileManager.default.copyItem(at: directory, to: copy)
    let second = try DeviceOutbox(.scripted(DeviceServer([])), file: copy.appendingPathComponent("outbox"))
    #expect(await second.pending == first.pending)
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["outbox"])
    let homeless = try DeviceOutbox(.scripted(DeviceServer([])), file: file.appendingPathComponent("outbox"))
    await #expect(throws: StorageError.self) { try await homeless.record(nil, for: "A") }
    #expect(await homeless.pending.isEmpty, "what could not be kept was not recorded")
  }
}

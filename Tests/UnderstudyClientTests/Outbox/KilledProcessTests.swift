import Foundation
import JSON
import LiveTesting
import Testing

@testable import UnderstudyClient

/// `UNDERSTUDY_KILLS` is the number of times that the process is killed.
@Suite("A process that is killed at random points", .live, .drawn, .temporaryFiles)
struct KilledProcessTests {
  static let devices = 6
  static let rounds =
    ProcessInfo.processInfo.environment["UNDERSTUDY_KILLS"].flatMap { Int($0) } ?? (WholeProof.isDemanded ? 25 : 10)

  /// The complete lines that the processes printed.
  struct Ledger {
    /// The newest installation of each device whose record was acknowledged.
    var recorded: [String: Int] = [:]
    /// The record that was being made when the last process was killed.
    var last: (device: String, second: Int)?
    var next = 1_688_000_000
    var records = 0
    var unfinished = 0

    mutating func read(_ output: String) {
      last = nil
      for line in output.split(separator: "\n") {
        let words = line.split(separator: " ").map(String.init)
        guard words.count == 3, let second = Int(words[2]) else { continue }
        next = max(next, second + 1)
        if words[0] == "recorded" {
          recorded[words[1]] = second
          records += 1
          last = nil
        } else {
          last = (words[1], second)
        }
      }
      if last != nil { unfinished += 1 }
    }
  }

  @Test("loses no recorded installation, invents none, and delivers all to the server")
  func kills() async throws {
    let ids = (0..<Self.devices).map { "D\($0)" }
    let sandbox = try await LiveSandbox("lost-ack", devices: ids)
    let file = try TemporaryFiles.newFile()
    var ledger = Ledger()
    var pendingAfterKills = 0
    var random = FuzzRandom(ofRun: 0)
    for round in 1...Self.rounds {
      let output = try await live(file, sandbox, from: ledger.next, &random)
      #expect(output.hasPrefix("opened\n"), "round \(round): \(output.prefix(200))")
      ledger.read(output)
      // The next process opens the file in the same way.
      let outbox = DeviceOutbox(sandbox.client(), file: file)
      #expect(await outbox.damagedFile == nil)
      #expect(await outbox.rejected.isEmpty)
      let pending = await outbox.pending
      pendingAfterKills += pending.count
      let found = try await truth(pending, sandbox)
      for id in ids {
        let isLast = ledger.last?.device == id && found[id] == ledger.last?.second
        #expect(found[id] == ledger.recorded[id] || isLast, "round \(round), \(id)")
        // A record that was found once must stay.
        ledger.recorded[id] = found[id]
      }
    }
    let outbox = DeviceOutbox(sandbox.client(), file: file)
    for _ in 0..<20 where await !outbox.pending.isEmpty { await outbox.syncToTheEnd() }
    #expect(await outbox.pending.isEmpty)
    #expect(try await truth([], sandbox) == ledger.recorded)
    print(
      "Killed \(Self.rounds) times: \(ledger.records) installations recorded, \(ledger.unfinished) times in the midst "
        + "of a record, \(pendingAfterKills) changes found pending afterwards, and none lost or invented.")
  }

  /// Returns a device's installation: the pending one, or else the server's.
  private func truth(_ pending: [PendingInstallation], _ sandbox: LiveSandbox) async throws -> [String: Int] {
    var truth: [String: Int] = [:]
    for device in try await sandbox.control("GET", "state")["devices"]?.array ?? [] {
      guard let id = device["id"]?.string, let text = device["installationDate"]?.string else { continue }
      truth[id] = SentDate(text: text).date.map { Int($0.timeIntervalSince1970) }
    }
    for entry in pending { truth[entry.deviceID] = entry.installationDate?.date.map { Int($0.timeIntervalSince1970) } }
    return truth
  }

  /// Starts a process that records and syncs, and kills it.
  ///
  /// - Returns: Its output.
  private func live(_ file: URL, _ sandbox: LiveSandbox, from second: Int, _ random: inout FuzzRandom) async throws
    -> String
  {
    let child = try ChildProcess(
      Self.program(),
      [file.path, sandbox.url.absoluteString, "\(Self.devices)", "\(second)", "\(random.next())"])
    // Waits for the first line, so that on a busy machine the process is not killed before it has started.
    let first = try child.line()
    try await Task.sleep(for: .microseconds(Int.random(in: 0...60_000, using: &random)))
    return first + "\n" + (try child.killed())
  }

  /// The program is in the directory of the test bundle.
  static func program() throws -> URL {
    #if os(macOS)
      let bundle = try #require(Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") })
      return bundle.bundleURL.deletingLastPathComponent().appendingPathComponent("InstallerApp")
    #else
      return Bundle.main.bundleURL.appendingPathComponent("InstallerApp")
    #endif
  }
}

import Foundation
import LiveTesting
import Seeds
import Testing

@testable import Conformance

/// A server without the contract: Python's http.server, with the seed files as static content.
@Suite("Judging a foreign server", .live)
struct ForeignServerTests {
  static let python = ["/usr/bin/python3", "/usr/local/bin/python3", "/opt/homebrew/bin/python3"].first {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  @Test("reports the failures, and ends", .enabled(if: python != nil, "python3 is not installed"))
  func honest() async throws {
    let server = try StaticServer(program: try #require(Self.python))
    let verdict = try await ConformanceSuite.judge(server.url, patience: Patience.limit, limit: Patience.limit * 5)
    #expect(verdict.results.count == Check.all.count)
    #expect(verdict.circumstances.hasPrefix("The server has no control API"))
    #expect(verdict["devices-key-order"]?.outcome == .passed, "the seed file has the keys in this order")
    #expect(verdict["users-seed-data"]?.outcome == .passed)
    #expect(verdict["http-close"]?.outcome == .passed || verdict["http-close"]?.hasFailed == true)
    for id in ["patch-device-400", "devices-405-allow", "list-devices-304", "users-sort", "http-keep-alive"] {
      #expect(verdict[id]?.hasFailed == true, "\(id) came to \(String(describing: verdict[id]?.outcome))")
    }
    for id in ["booking-never-sold-twice", "control-reset-resets", "activities-reset-resets"] {
      guard case .skipped(let reason) = try #require(verdict[id]).outcome else {
        Issue.record("\(id) was not skipped")
        continue
      }
      #expect(reason.contains("control API"))
    }
    #expect(verdict.failed.count > 100)
    let report = verdict.report()
    #expect(report.contains("expected 405") && report.contains("found    501"))
  }
}

/// `python3 -m http.server` on a free port, in its own directory.
private final class StaticServer {
  let url: String
  private let program: SpawnedProgram
  private let directory: URL

  struct Failure: Error {}

  init(program: String) throws {
    directory = FileManager.default.temporaryDirectory.appending(path: "conformance-" + UUID().uuidString)
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    let files = [
      ("devices", SeedFiles.devices), ("activities", SeedFiles.activities), ("users", SeedFiles.users),
      ("rooms", SeedFiles.house),
      ("rooms.json", SeedFiles.booking),
    ]
    for (name, text) in files { try Data(text.utf8).write(to: directory.appending(path: name)) }
    // It prints a line with the port when it listens.
    let arguments = ["-u", "-m", "http.server", "0", "--bind", "127.0.0.1", "--directory", directory.path]
    let (started, output) = try ChildProcess.start {
      let output = SpawnedProgram.pipe()
      let ends: [Int32?] = [nil, output.fileHandleForWriting.fileDescriptor, nil]
      return (try SpawnedProgram(URL(filePath: program), arguments, streams: ends), output)
    }
    self.program = started
    try output.fileHandleForWriting.close()
    var line = ""
    while !line.hasSuffix("\n"), let byte = try output.fileHandleForReading.read(upToCount: 1), !byte.isEmpty {
      line += String(decoding: byte, as: UTF8.self)
    }
    guard let port = line.firstMatch(of: /port ([0-9]+)/)?.output.1 else { throw Failure() }
    url = "http://127.0.0.1:\(port)"
  }

  deinit {
    program.send(SIGKILL)
    try? FileManager.default.removeItem(at: directory)
  }
}

import Foundation
import LiveTesting
import Testing
import Understudy

@Suite("understudy conform", .live)
struct ProgramTests {
  @Test("tells the outcome by its exit code, and writes a JUnit file for --junit")
  func exitCodes() async throws {
    let server = try await MockServer.start(.patient)
    let file = FileManager.default.temporaryDirectory.appending(path: "junit-\(UUID().uuidString).xml")
    defer { try? FileManager.default.removeItem(at: file) }
    let proxy = try Proxy(before: server.port, try #require(Mutant.wire.first { $0.name == "no Date" }))
    let good = try Self.run(server.url, "--only", "http", "--junit", file.path, "--patience", Self.patience)
    #expect(good.status == 0)
    #expect(good.output.hasSuffix(" passed, 0 failed, 0 skipped\n"))
    #expect(try String(contentsOf: file, encoding: .utf8).contains("name=\"http-pipelining\""))
    let bad = try Self.run(proxy.url, "--only=http-date", "--patience", Self.patience)
    #expect(bad.status == 1)
    #expect(bad.output.contains("found    no Date in the 200 to GET /devices"))
    let bare = try Proxy(before: server.port, .withoutControl)
    let nothing = try Self.run(bare.url, "--only", "control", "--patience", Self.patience)
    #expect(nothing.status == 1, "all skipped is no success")
    await server.stop()
    #expect(try Self.run(server.url).status == 69)
    #expect(try Self.run("--nonsense").status == 64)
    #expect(try Self.run(server.url, "--only", "nonsense").status == 64)
    #expect(try Self.run("--list", "--only", "http-date").output.hasPrefix("http-date (ours)\n"))
    #expect(try Self.run("--help").output.hasPrefix("USAGE\n  understudy conform URL"))
  }

  /// In seconds, as the option requires.
  private static let patience = "\(min(Patience.seconds, 600))"

  private static func run(_ words: String...) throws -> (status: Int32, output: String) {
    let result = try ChildProcess.run(directory.appendingPathComponent("understudy"), ["conform"] + words)
    return (result.status, result.output)
  }

  /// Programs are in the directory of the test bundle.
  private static var directory: URL {
    #if !os(Linux)
      if let bundle = Bundle.allBundles.first(where: { $0.bundlePath.hasSuffix(".xctest") }) {
        return URL(fileURLWithPath: bundle.bundlePath).deletingLastPathComponent()
      }
    #endif
    return URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
  }
}
